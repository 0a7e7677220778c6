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
                "A transaction that updates 10,000 rows of an observed list of n rows, in memory, until the write returns.",
            leavesOut: "The callbacks, as in one-row-hit. \(arrays)", statements: .cached),
        Scenario(
            name: .listStart, unit: "ns to the first value", sizeName: "rows", sizes: [1_000, 100_000],
            quickSizes: [100],
            measures:
                "The time from the start of the observation of a list of n rows, with immediate scheduling, to its first value, in memory. The same time for an observation of an array is a further figure.",
            leavesOut: "Opening the database.", statements: .cached),
        Scenario(
            name: .listJoin, unit: "ns per write", sizeName: "rows", sizes: [1_000, 100_000],
            quickSizes: [200],
            measures:
                "A write to one row of an observed list of n rows, each joined with a group, in memory, until the write returns. The time of a write to a group, which is joined with 100 rows, is a further figure.",
            leavesOut: "The callbacks, as in one-row-hit. \(arrays)", statements: .cached,
            roundTimeout: 600),
        Scenario(
            name: .listBurst, unit: "ns from the last commit to the last list", sizeName: "commits",
            sizes: [100, 1_000], quickSizes: [10],
            measures:
                "The time from the last of n consecutive commits, on a pool, to the callback with a list of 10,000 rows that contains it.",
            leavesOut: "The time of the commits, which is a further figure. \(arrays)", statements: .cached),
        Scenario(
            name: .listDiff, unit: "ns per difference", sizeName: "rows", sizes: [1_000, 100_000],
            quickSizes: [100],
            measures:
                "The difference between two lists of n rows of which one row was updated. The time to read an element by its index, and the time to iterate relative to an array, are further figures.",
            leavesOut: "With other engines, the difference is CollectionDifference between two arrays.",
            statements: .cached, roundTimeout: 600),
        Scenario(
            name: .sectionDiff, unit: "ns per difference", sizeName: "rows", sizes: [1_000, 100_000],
            quickSizes: [100],
            measures:
                "The same with about 100 sections by the score: the sections of the newer list, from those of the older one, and their difference.",
            leavesOut:
                "With other engines, an array of sections, and the CollectionDifference of the rows. The first sections of a list.",
            statements: .cached, roundTimeout: 600),
        Scenario(
            name: .listMemory, unit: "bytes per row", sizeName: "rows", sizes: [1_000, 100_000],
            quickSizes: [10_000],
            measures:
                "The bytes allocated by an observation of n rows in memory that was updated once, elements and their strings included. The bytes beside those of an observation of an array are a further figure.",
            leavesOut: "The overhead of the allocator. \(arrays)", statements: .cached),
    ]

    /// The scenarios of results with ORDER BY and LIMIT.
    static let windows: [Scenario] = [
        Scenario(
            name: .windowOutside, unit: "ns per write", sizeName: "rows", sizes: [1_000, 100_000],
            quickSizes: [400],
            measures:
                "A write to one of the last rows of n while an array of the first 50 is observed (ORDER BY … LIMIT 50, with an index), in memory, until the write returns.",
            leavesOut: "Nothing: the array does not change.", statements: .cached),
        Scenario(
            name: .windowInside, unit: "ns per write", sizeName: "rows", sizes: [1_000, 1_000_000],
            quickSizes: [400],
            measures:
                "A write to one column of one of the first 50 rows of n, which are observed as a list, in memory, until the write returns. An index supplies the order.",
            leavesOut: "The callbacks, as in one-row-hit. \(arrays)", statements: .cached),
        Scenario(
            name: .windowUnindexed, unit: "ns per write", sizeName: "rows", sizes: [100_000, 1_000_000],
            quickSizes: [400],
            measures: "The same without an index: a fetch of the first rows reads all of them.",
            leavesOut: "The callbacks, as in one-row-hit. \(arrays)", statements: .cached,
            roundTimeout: 600),
        Scenario(
            name: .windowRefill, unit: "ns per write", sizeName: "rows", sizes: [100_000],
            quickSizes: [400],
            measures:
                "A write that moves the first 100 rows of n behind all others, while the first 50 are observed as a list, in memory, until the write returns. None of the rows that the list has kept is left.",
            leavesOut: "The callbacks, as in one-row-hit. \(arrays)", statements: .cached),
    ]
}
