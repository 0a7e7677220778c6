extension Scenario {
    private static let network =
        "The network: the server listens on a Unix socket. Engines without servers."

    /// The scenarios of a PostgreSQL server, which `VIGIL_POSTGRES` names. C is libpq, with a prepared
    /// statement.
    static let servers: [Scenario] = [
        Scenario(
            name: .serverWrite, unit: "ns per write", sizeName: "further tables", sizes: [0, 1_000],
            quickSizes: [0, 3],
            measures:
                "A transaction that updates one row by db.execute(sql:arguments:), on a PostgreSQL server with n further tables in the schema. With C, BEGIN, UPDATE and COMMIT.",
            leavesOut: network, statements: .sqlStrings),
        Scenario(
            name: .serverInsert, unit: "ns per insert", sizeName: "records", sizes: [1], quickSizes: [1],
            measures:
                "A transaction that inserts a Codable record of four columns, and reads its generated key, on a PostgreSQL server. With C, BEGIN, INSERT … RETURNING and COMMIT.",
            leavesOut: network, statements: .generated),
        Scenario(
            name: .serverRead, unit: "ns per read", sizeName: "rows", sizes: [1], quickSizes: [1],
            measures:
                "A read of one integer by Int64.fetchOne(db, sql:arguments:), in dbPool.read, on a PostgreSQL server. With C, BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY, SELECT and COMMIT.",
            leavesOut: network, statements: .sqlStrings),
        Scenario(
            name: .serverRows, unit: "ns per row", sizeName: "rows", sizes: [100_000], quickSizes: [1_000],
            measures:
                "Reading rows of five columns with a cursor, each value by its index, on a PostgreSQL server. With C, one result of all rows in text format, whose numbers are converted.",
            leavesOut: network, statements: .once),
        Scenario(
            name: .serverRecords, unit: "ns per row", sizeName: "rows", sizes: [100_000],
            quickSizes: [1_000],
            measures:
                "Fetching the same rows as an array of Codable records. With C, as in server-rows, without copies of the texts.",
            leavesOut: network, statements: .once),
        Scenario(
            name: .serverFirstRow, unit: "ns to the first row", sizeName: "rows", sizes: [1_000_000],
            quickSizes: [1_000],
            measures:
                "The time from dbPool.read to the first row of a cursor over n rows, of which no other row is read, on a PostgreSQL server. With C, in single-row mode. Further figures: the time until the read has ended, and the growth of the peak of the memory during all reads.",
            leavesOut: "\(network) The first connection.", statements: .once),
        Scenario(
            name: .serverObserve, unit: "ns, median of a round", sizeName: "observations", sizes: [1],
            quickSizes: [1],
            measures:
                "The time from the end of the writing closure, just before the COMMIT, to the callback, on a PostgreSQL server, with writes by the same pool.",
            leavesOut: network, statements: .sqlStrings),
        Scenario(
            name: .serverLatency, unit: "ns, median of a round", sizeName: "observations", sizes: [1, 100],
            quickSizes: [1],
            measures:
                "The same time for writes by another pool, at intervals of 25 to 37 ms. Further figures: the time until a loop that queries once a second has read the write, and the processor time of idle observations.",
            leavesOut: "\(network) The processor time of the server.", statements: .sqlStrings),
        Scenario(
            name: .serverMatch, unit: "ns, median of a round", sizeName: "observations",
            sizes: [1, 10_000, 100_000], quickSizes: [3],
            measures:
                "The time of server-latency with a published table, and n observations of one team each (WHERE team = ?), of which a write matches one. Further figures: the memory per observation, the numbers of changed rows per second in transactions of 500 rows that match no observation, and that match one, and the writes per second of another client, relative to those before the pool was opened.",
            leavesOut: "\(network) The processor time of the server.", statements: .sqlStrings,
            runsByDefault: false, roundTimeout: 600),
    ]
}
