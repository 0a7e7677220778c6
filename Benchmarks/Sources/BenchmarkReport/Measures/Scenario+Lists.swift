extension Scenario {
    private static let arrays =
        "Lists that are updated row by row with other engines, which observe an array of all rows."

    /// The scenarios of lists that are updated row by row.
    static let lists: [Scenario] = [
        Scenario(
            name: .listUpdate, unit: "ns per write", sizeName: "rows", sizes: [1_000, 100_000, 1_000_000],
            quickSizes: [100],
            measures:
                "A write to one column of one row of an observed list of n rows, in memory, sorted by another column, until the write returns: the transaction, and the fetch that it causes.",
            leavesOut: "The callbacks, as in one-row-hit. \(arrays)", statements: .cached,
            roundTimeout: 600),
        Scenario(
            name: .listMove, unit: "ns per write", sizeName: "rows", sizes: [1_000, 100_000],
            quickSizes: [100],
            measures: "The same, with a write to the column by which the list is sorted.",
            leavesOut: "The callbacks, as in one-row-hit. \(arrays)", statements: .cached,
            roundTimeout: 600),
        Scenario(
            name: .listMany, unit: "ns per write", sizeName: "lists", sizes: [1, 1_000], quickSizes: [3],
            measures:
                "A write to a row of one of n lists (WHERE team = ?), in memory, until the write returns. One list changes.",
            leavesOut: "The callbacks, as in one-row-hit.", statements: .cached),
        Scenario(
            name: .listEqual, unit: "ns per write", sizeName: "lists", sizes: [1, 1_000], quickSizes: [3],
            measures:
                "A write to a row of n equal lists, in memory, until the write returns. All of them change.",
            leavesOut: "The callbacks, as in one-row-hit.", statements: .cached),
        Scenario(
            name: .listBulk, unit: "ns per transaction", sizeName: "rows", sizes: [100_000],
            quickSizes: [100],
            measures:
                "A transaction that updates 10,000 rows of an observed list of n rows, in memory, until the write returns. The list is fetched as a whole.",
            leavesOut: "The callbacks, as in one-row-hit. \(arrays)", statements: .cached),
        Scenario(
            name: .listStart, unit: "ns to the first value", sizeName: "rows", sizes: [1_000, 100_000],
            quickSizes: [100],
            measures:
                "The time from the start of the observation of a list of n rows, with immediate scheduling, to its first value, in memory. The same time for an observation of an array is a further figure.",
            leavesOut: "Opening the database.", statements: .cached, hasLatencies: false),
    ]
}
