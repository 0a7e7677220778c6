package import VigilStorage

/// An observer whose region a transaction modified, with the first such change.
package struct RegionMatch: Sendable, Hashable {
    package let observer: ObserverID
    package let change: MatchedChange
    /// The place of the observer in the index, unless it was registered again since.
    let slot: Int
}

/// A change and the modified part of a region.
///
/// A class, because thousands of observers with an equal region may share it.
package final class MatchedChange: Sendable {
    package let reason: MatchReason
    /// The modified part of the region; `nil` if only the reason is known.
    package let cause: MatchCause?

    package init(_ reason: MatchReason, _ cause: MatchCause? = nil) {
        self.reason = reason
        self.cause = cause
    }

    /// A change that may have modified anything.
    package static let database = MatchedChange(.database)
}

extension MatchedChange: Hashable {
    package static func == (a: MatchedChange, b: MatchedChange) -> Bool {
        a === b || (a.reason == b.reason && a.cause == b.cause)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(reason)
        hasher.combine(cause)
    }
}

/// The part of a region modified by a changed row.
///
/// It shares the values of the index and the change, and computes its properties on demand.
package struct MatchCause: Sendable, Hashable {
    private let part: TablePart
    private let alternative: Int?
    private let updated: UpdatedColumns?

    init(part: TablePart, _ match: TablePart.RowMatch, _ row: RowChangeSummary) {
        self.part = part
        alternative = match.alternative
        updated = row.kind == .update ? row.updatedColumns : nil
    }

    /// The conditions of the region that the row may meet, such as `team = 5`; `nil` without conditions.
    package var predicate: String? {
        alternative.flatMap { alternative in part.predicates?.alternatives[alternative].description }
    }

    /// The observed columns that may have been updated; `nil` if they are unknown, and for inserted and
    /// deleted rows.
    package var columns: Set<String>? {
        guard let updated, case .some(let columns, _) = updated else { return nil }
        return part.columns.significant.map { columns.intersection($0).spellings } ?? columns.spellings
    }
}

/// The kind of the change that modified a region.
package enum MatchReason: Sendable, Hashable {
    /// A change of a row, with the matching key: if the key changed, the old or the new one.
    case row(TableName, RowChange.Kind, RowKey)
    /// A change of any row of the table.
    case table(TableName)
    /// A change of any row of any table.
    case database
}

extension MatchReason: CustomStringConvertible {
    /// A text such as `update of player 5` or `change of player`.
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

/// The identity of an observer in a ``RegionIndex``. It is never used for another observer.
package struct ObserverID: Sendable, Hashable, Comparable {
    package let rawValue: Int

    package init(_ rawValue: Int) { self.rawValue = rawValue }

    package static func < (a: ObserverID, b: ObserverID) -> Bool { a.rawValue < b.rawValue }
}

extension ObserverID: CustomStringConvertible {
    package var description: String { "\(rawValue)" }
}
