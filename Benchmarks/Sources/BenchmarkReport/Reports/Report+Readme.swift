extension Report {
    /// The rows of the short table: everyday code first, then the cases that differ most.
    private static let readmeRows: [(text: String, name: ScenarioName, n: Int)] = [
        ("a write, `db.execute(sql:arguments:)`, in memory", .plainWriteMemory, 0),
        ("– in a file, `DatabasePool`", .plainWritePool, 0),
        ("a read, `Int.fetchOne(db, sql:)`, `DatabasePool`", .plainReadPool, 0),
        ("fetching 100 Codable records by a request", .plainRecordsFetchAll, 100),
        ("one observation of an SQL string, from write to value, `DatabasePool`", .oneObservationPoolSQL, 1),
        ("– of a record request", .oneObservationPoolRecord, 1),
        ("opening a pool, to the first value of an observation", .start, 1),
        ("a write with 10,000 observations that it does not match", .unrelatedWrites, 10_000),
        ("a write that matches one of 10,000 observed rows", .oneRowHit, 10_000),
        ("a write to one row of an observed list of 100,000", .listUpdate, 100_000),
        ("the first value of an observed list of 100,000", .listStart, 100_000),
        ("memory of an idle observation", .memory, 10_000),
    ]

    /// A short table of Vigil beside GRDB in Markdown.
    public var readmeMarkdown: String {
        var table = TextTable(header: ["", "Vigil", "GRDB", "GRDB ÷ Vigil"])
        for row in Report.readmeRows {
            guard let scenario = scenario(row.name, n: row.n) else { continue }
            table.rows.append(
                [row.text] + [Engine.vigil, .grdb].map { scenario.figure(of: $0) }
                    + [scenario.ratio("grdb/vigil")])
        }
        let origin =
            "Medians of \(rounds) round\(rounds == 1 ? "" : "s") on \(machine.processor), \(machine.cores) cores, SQLite \(machine.sqlite), GRDB 7.10. Statements are prepared by hand only in the rows with 1,000 and more observations."
        let warning = isQuick ? "**A short run: its times are meaningless.**\n\n" : ""
        return "\(warning)\(table.markdown)\n\n\(origin)\n"
    }
}
