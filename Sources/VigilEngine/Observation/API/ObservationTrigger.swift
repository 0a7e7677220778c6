public import VigilRegions
public import VigilStorage

/// The reason why an observation fetches again: a commit, and the change that modified the region.
///
/// A commit may modify a region in many places. The trigger describes the first one.
public struct ObservationTrigger: Sendable, Hashable {
    /// The place of a change in the database.
    public enum Place: Sendable, Hashable {
        /// A row that was inserted, updated or deleted, with its row id if it has one.
        case row(TableName, RowChange.Kind, rowID: Int64?)
        /// A table, if the changed rows are not known.
        case table(TableName)
        /// The whole database, if the changed tables are not known, as after some commits by other processes.
        case database
    }

    /// The number of the commit that modified the region.
    public let commit: CommitNumber
    private let change: MatchedChange

    /// The first place in the region that the commit modified.
    public var place: Place {
        switch change.reason {
        case .row(let table, let kind, .integer(let rowID)): .row(table, kind, rowID: rowID)
        case .row(let table, let kind, _): .row(table, kind, rowID: nil)
        case .table(let table): .table(table)
        case .database: .database
        }
    }

    /// The condition that the row satisfies, or satisfied before the change, such as `team = 5`. It is `nil`
    /// if the observation has no conditions on the table's rows, or if the row is not known.
    ///
    /// The text may contain bound values.
    public var predicate: String? { change.cause?.predicate }

    /// The observed columns that were updated; `nil` if they are not known, and unless the row was updated.
    public var columns: Set<String>? { change.cause?.columns }

    init(commit: CommitNumber, _ change: MatchedChange) {
        self.commit = commit
        self.change = change
    }

    /// Returns whether two triggers have the same commit, place and cause.
    public static func == (a: ObservationTrigger, b: ObservationTrigger) -> Bool {
        a.commit == b.commit && a.place == b.place && a.change.cause == b.change.cause
    }

    /// Hashes the commit and the place.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(commit)
        hasher.combine(place)
    }
}

extension ObservationTrigger: CustomStringConvertible, CustomDebugStringConvertible {
    /// The commit and the place, such as `commit 7: update of player 5`, without values except the row id.
    public var description: String { "commit \(commit): \(place)" }

    /// The description with the columns and the condition, such as `commit 7: update of player 5 (score),
    /// team = 5`. The text may contain bound values.
    public var debugDescription: String {
        let names = columns.map { " (\($0.sorted().joined(separator: ",")))" } ?? ""
        return description + names + (predicate.map { ", \($0)" } ?? "")
    }
}

extension ObservationTrigger.Place: CustomStringConvertible {
    /// A description of the place, such as `update of player 5`.
    public var description: String {
        switch self {
        case .row(let table, let kind, let rowID?): "\(kind) of \(table) \(rowID)"
        case .row(let table, let kind, nil): "\(kind) of \(table)"
        case .table(let table): "change of \(table)"
        case .database: "change of the database"
        }
    }
}
