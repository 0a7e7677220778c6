extension Budget {
    /// A PostgreSQL server on a local socket. With C, libpq does the same work.
    static let servers: [Budget] =
        [
            (ScenarioName.serverWrite, 0, "a one-row write on a server", 1.5),
            (.serverWrite, 1_000, "a one-row write on a server with 1,000 further tables", 1.5),
            (.serverInsert, 1, "inserting a record with a generated key on a server", 2),
            (.serverRows, 100_000, "reading 100,000 rows from a server", 2),
            (.serverRecords, 100_000, "reading 100,000 Codable records from a server", 3),
        ].map { name, n, text, limit in
            Budget(
                text: "\(text), relative to libpq",
                measure: .ratio(Cell(name, n, .vigil), over: Cell(name, n, .c)),
                limit: limit)
        } + [
            Budget(
                text: "first of 1,000,000 rows from a server by cursor, ns",
                measure: .figure(Cell(.serverFirstRow, 1_000_000, .vigil)), limit: 20_000_000),
            Budget(
                text: "growth of the memory for the first of 1,000,000 rows from a server, bytes",
                measure: .metric(Metric.bytesOfFirstRow, Cell(.serverFirstRow, 1_000_000, .vigil)),
                limit: 5 * 1_024 * 1_024),
        ]
        + [1, 100].map { count in
            Budget(
                text:
                    "commit by another pool of a server to the callback of one of \(count) observations, ns",
                measure: .figure(Cell(.serverLatency, count, .vigil)), limit: 20_000_000)
        } + [
            Budget(
                text: "processor time of 100 idle observations of a server, % of a core",
                measure: .metric(Metric.idle, Cell(.serverLatency, 100, .vigil)), limit: 1)
        ]
}
