package import VigilStorage

/// An observer whose region a transaction touches, and the first change that did.
package struct Hit: Sendable, Hashable {
    package var observer: ObserverID
    package var reason: HitReason

    package init(observer: ObserverID, reason: HitReason) {
        self.observer = observer
        self.reason = reason
    }
}

/// Which change touched a region.
package enum HitReason: Sendable, Hashable {
    /// A change of a row, with the key by which it was found: for a row that got another key, the old or
    /// the new one.
    case row(TableName, RowChange.Kind, RowKey)
    /// A change somewhere in the table.
    case table(TableName)
    /// A change somewhere in the database.
    case database
}

extension HitReason: CustomStringConvertible {
    /// Such as `update of player 5`, `change of player`.
    package var description: String {
        switch self {
        case .row(let table, let kind, .integer(let rowID)): "\(kind) of \(table) \(rowID)"
        case .row(let table, let kind, .values(let values)): "\(kind) of \(table) \(values)"
        case .row(let table, let kind, .unknown): "\(kind) of \(table)"
        case .table(let table): "change of \(table)"
        case .database: "change of the database"
        }
    }
}
