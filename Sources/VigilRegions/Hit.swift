package import VigilStorage

/// An observer whose region a transaction touches, and the first change that did.
package struct Hit: Sendable, Hashable {
    package var observer: ObserverID
    package var reason: HitReason
    /// What of the observer's region the change touches; `nil` if the reason says all that is known.
    package var cause: HitCause?

    package init(observer: ObserverID, reason: HitReason, cause: HitCause? = nil) {
        self.observer = observer
        self.reason = reason
        self.cause = cause
    }
}

/// What a changed row touches in a region.
///
/// It shares what the index and the change have anyway: nothing is made until somebody asks.
package struct HitCause: Sendable, Hashable {
    private let part: TablePart
    private let alternative: Int?
    private let updated: UpdatedColumns?

    init(part: TablePart, _ touch: TablePart.Touch, _ row: RowFacts) {
        self.part = part
        alternative = touch.alternative
        updated = row.kind == .update ? row.updatedColumns : nil
    }

    /// The conditions of the region that the row meets, or may meet, such as `team = 5`; `nil` if there are none.
    package var predicate: String? {
        alternative.flatMap { alternative in part.predicates?.alternatives[alternative].description }
    }

    /// The columns that are read and were updated, or may have been; `nil` if they are not known, and for a row that
    /// was inserted or deleted.
    package var columns: Set<String>? {
        guard let updated, case .some(let columns, _) = updated else { return nil }
        return part.columns.significant.map { columns.intersection($0).spellings } ?? columns.spellings
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
