package import VigilStorage

/// The fetch needed to update a list.
package enum ListFetch: Sendable, Hashable {
    /// The list is up to date.
    case none
    /// Fetches the rows with these row ids, given for each source.
    case rows([Set<Int64>])
    case all(FullFetchReason)
}

package enum ListOutcome: Sendable {
    case unchanged
    case list(ListVersion)
    /// The rows could not be used.
    case fetchAll(FullFetchReason)
}

/// Why a whole list is fetched.
package enum FullFetchReason: Sendable, Hashable {
    case first
    /// The statement was planned again.
    case newPlan
    /// The changed rows are unknown.
    case unknownChanges
    /// The changed rows of a table are unknown, or too many.
    case unknownRows(TableName)
    /// Too many rows changed to look them up one by one.
    case manyRows(Int)
    /// A watched table changed. Its rows are not followed.
    case watchedTables
    /// Too few rows of a window are left.
    case shortWindow
    /// Many rows were inserted into a window.
    case longWindow
    /// Looking up the changed rows failed.
    case failedLookUp
    case notFollowed(UnfollowedReason)
}

/// Why a list is not followed row by row.
package enum UnfollowedReason: Error, Hashable {
    /// The statement is not supported, for this reason.
    case statement(String)
    /// The database returned the row at this index too early for the order of the list.
    case order(row: Int)
    /// Fetching the rows of a window and those beside it failed.
    case failedWindow
    /// Two rows have equal row ids in all tables.
    case repeatedRow
    case sortKey(SortKeyFailure)
}
