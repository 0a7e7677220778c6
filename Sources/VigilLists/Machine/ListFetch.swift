package import VigilStorage

/// The fetch that brings a list up to date.
package enum ListFetch: Sendable, Hashable {
    /// The list is up to date.
    case none
    /// Fetches the rows with these row ids, given for each source.
    case rows([Set<Int64>])
    case all(FullFetchReason)
}

/// The result of a fetch.
package enum ListOutcome: Sendable {
    /// The rows did not change.
    case unchanged
    case list(ListVersion)
    /// The rows could not be used.
    case fetchAll(FullFetchReason)
}

/// Why a list is fetched as a whole.
package enum FullFetchReason: Sendable, Hashable {
    case first
    /// The statement was planned again.
    case newPlan
    /// It is not known which rows changed.
    case unknownChanges
    /// It is not known which rows of a table changed, or they are many.
    case unknownRows(TableName)
    /// More rows changed than are looked up one by one.
    case manyRows(Int)
    /// A table changed that is not followed.
    case watchedTables
    case notFollowed(UnfollowedReason)
}

/// Why a list is not followed row by row.
package enum UnfollowedReason: Sendable, Hashable {
    /// The statement is not supported, for this reason.
    case statement(String)
    /// The database returned the row at this index before one that precedes it in the order of the list.
    case order(row: Int)
    /// Two rows have equal row ids in all tables.
    case repeatedRow
    case doubt(SortKeyDoubt)
}
