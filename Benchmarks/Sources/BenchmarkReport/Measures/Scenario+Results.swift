extension Scenario {
    private static func result(_ name: ScenarioName, _ query: String) -> Scenario {
        Scenario(
            name: name, unit: "ns per write", sizeName: "rows", sizes: [100_000, 1_000_000],
            quickSizes: [1_000],
            measures:
                "A write to one row of a table of n rows, in memory, until the write returns: the transaction, and the fetch that it causes, of \(query).",
            leavesOut:
                "The callbacks, as in one-row-hit; the first fetches, before the result is kept in memory.",
            statements: .cached, roundTimeout: 600)
    }

    /// The scenarios of aggregates and groups, observed by plain closures.
    static let results: [Scenario] = [
        result(.countFilter, "the number of rows that meet a condition"),
        result(.groupUpdate, "the count and the sum of 20 groups"),
        result(.groupTop, "the 10 groups of 100 rows with the greatest sums"),
        result(.dashboard, "five queries with aggregates and groups, in one closure"),
        result(
            .unreadCounts, "n / 100 rows, each with the number of its 100 rows in the table, as a list"),
        result(
            .joinCount,
            "n / 100 groups of a LEFT JOIN, each with the number of its rows, as a list; the write moves a row"
        ),
    ]
}
