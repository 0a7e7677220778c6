package import VigilStorage

/// The rows that changed rows of linked tables belong to. See `ListPlan.Link`.
package struct LinkedRows: Sendable, Hashable {
    /// The row ids in each source; empty without linked changes.
    package var rowIDs: [Set<Int64>] = []
    /// A linked table with unknown values of changed rows; `nil` if all values are known.
    package var unknownTable: TableName?
    /// Whether the search was ended because of its cost.
    package var isIncomplete = false
    /// The cost of the search by the number of the link, in the unit of full fetches.
    package var costs: [Int: Int] = [:]

    package init() {}
}
