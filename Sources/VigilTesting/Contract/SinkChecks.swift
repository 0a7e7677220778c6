import VigilStorage

/// Who is told, and who is not.
enum SinkChecks {
    static let all: [BackendContract.Check] = [
        .init("interestIsRespected", "Nothing is reported that was not asked for.", interestIsRespected),
        .init("reportingEnds", "After report(to: nil) nothing is reported.", reportingEnds),
        .init("sinkIsReplaced", "Only the last sink is told.", sinkIsReplaced),
        .init("sinkIsNotRetained", "The connection does not retain its sink.", sinkIsNotRetained),
        .init(
            "connectionsReportTheirOwnChanges", "A connection does not report what another one does.",
            connectionsReportTheirOwnChanges),
    ]

    private static func change(_ connection: ContractConnection) throws {
        try connection.begin()
        try connection.execute("INSERT OR REPLACE INTO player VALUES (1, 'a', 0); DELETE FROM player")
        try connection.commit()
    }

    private static func interestIsRespected(_ bench: ContractBench) throws {
        let connection = try bench.players()
        let quiet = try connection.recording(.nothing) { _ in try change(connection) }
        try expectEqual(quiet.records, [], "the reports without interest")
        let sink = try connection.recording(.transactions) { _ in try change(connection) }
        try expectEqual(sink.records, [.willCommit], "the reports of transactions")
    }

    private static func reportingEnds(_ bench: ContractBench) throws {
        let connection = try bench.players()
        let sink = try connection.recording(.everyRow) { _ in try change(connection) }
        try expectTrue(!sink.changes.isEmpty, "reports before the end")
        sink.removeAll()
        try change(connection)
        try expectEqual(sink.records, [], "the reports after the end")
    }

    private static func sinkIsReplaced(_ bench: ContractBench) throws {
        let connection = try bench.players()
        let first = RecordingSink()
        connection.storage.report(to: first, interest: .everyRow)
        let second = try connection.recording(.everyRow) { _ in try change(connection) }
        try expectEqual(first.records, [], "the reports to the first sink")
        try expectTrue(!second.changes.isEmpty, "reports to the second sink")
    }

    private static func sinkIsNotRetained(_ bench: ContractBench) throws {
        let connection = try bench.players()
        weak var sink: RecordingSink?
        do {
            let first = RecordingSink()
            sink = first
            connection.storage.report(to: first, interest: .everyRow)
            try change(connection)
        }
        try expectTrue(sink == nil, "the sink is gone")
        try change(connection)
    }

    private static func connectionsReportTheirOwnChanges(_ bench: ContractBench) throws {
        let (a, b) = try bench.pair()
        let sink = try a.recording(.everyRow) { _ in try change(b) }
        try expectEqual(sink.records, [], "the reports of the other connection's changes")
    }
}
