public import VigilRegions
public import VigilStorage

/// Why an observation was to fetch: which commit touched its region, and where.
///
/// A commit may touch a region in many places. This tells of the first.
public struct ObservationTrigger: Sendable, Hashable {
    /// Where a commit touched a region.
    public enum Place: Sendable, Hashable {
        /// A row was inserted, updated or deleted; with the row id, where there is one.
        case row(TableName, RowChange.Kind, rowID: Int64?)
        /// Something in a table changed: what, is not known.
        case table(TableName)
        /// Something in the database changed: what, is not known. So it is with commits of other processes.
        case database
    }

    /// The commit. See ``CommitNumber``.
    public let commit: CommitNumber
    public let place: Place
    private let cause: HitCause?

    /// The condition on rows that the changed row meets, or has met, such as `team = 5`; `nil` if any row of the table
    /// is observed, and where the row is not known. It shows values that were bound.
    public var predicate: String? { cause?.predicate }

    /// The observed columns that were updated; `nil` for inserted and deleted rows, and where they are not known.
    public var columns: Set<String>? { cause?.columns }

    init(commit: CommitNumber, _ reason: HitReason, _ cause: HitCause? = nil) {
        self.commit = commit
        self.cause = cause
        place =
            switch reason {
            case .row(let table, let kind, .integer(let rowID)): .row(table, kind, rowID: rowID)
            case .row(let table, let kind, _): .row(table, kind, rowID: nil)
            case .table(let table): .table(table)
            case .database: .database
            }
    }
}

extension ObservationTrigger: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `commit 7: update of player 5`. It shows no values.
    public var description: String { "commit \(commit): \(place)" }

    /// With the condition and the columns, such as `commit 7: update of player 5 (score), team = 5`.
    public var debugDescription: String {
        let names = columns.map { " (\($0.sorted().joined(separator: ",")))" } ?? ""
        return description + names + (predicate.map { ", \($0)" } ?? "")
    }
}

extension ObservationTrigger.Place: CustomStringConvertible {
    public var description: String {
        switch self {
        case .row(let table, let kind, let rowID?): "\(kind) of \(table) \(rowID)"
        case .row(let table, let kind, nil): "\(kind) of \(table)"
        case .table(let table): "change of \(table)"
        case .database: "change of the database"
        }
    }
}
