import VigilStorage

/// Checks which sink receives reports, and which reports it receives.
enum SinkChecks {
    static let all: [BackendContract.Check] = [
        .init("interestIsRespected", promise: "Only the requested reports are made.", interestIsRespected),
        .init("reportingEnds", promise: "After report(to: nil), nothing is reported.", reportingEnds),
        .init("sinkIsReplaced", promise: "Only the last sink receives reports.", sinkIsReplaced),
        .init("sinkIsNotRetained", promise: "The connection does not retain its sink.", sinkIsNotRetained),
        .init(
            "connectionsReportTheirOwnChanges",
            promise: "A connection does not report the changes of other connections.",
            connectionsReportTheirOwnChanges),
    ]

    private static func change(_ connection: ContractConnection) throws {
        try connection.begin()
        let insert = connection.hasStatementsOfSQLite ? "INSERT OR REPLACE" : "INSERT"
        try connection.execute("\(insert) INTO player VALUES (1, 'a', 0); DELETE FROM player")
        try connection.commit()
    }

    private static func interestIsRespected(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let quiet = try connection.recording(.nothing) { _ in try change(connection) }
        try expectEqual(quiet.records, [], "the reports without interest")
        let sink = try connection.recording(.transactions) { _ in try change(connection) }
        try expectEqual(sink.records, [.willCommit], "the reports with interest in transactions")
    }

    private static func reportingEnds(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let sink = try connection.recording(.everyRow) { _ in try change(connection) }
        try expectTrue(!sink.changes.isEmpty, "changes are reported before report(to: nil)")
        sink.removeAll()
        try change(connection)
        try expectEqual(sink.records, [], "the reports after report(to: nil)")
    }

    private static func sinkIsReplaced(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let first = RecordingSink()
        connection.storage.report(to: first, interest: .everyRow)
        let second = try connection.recording(.everyRow) { _ in try change(connection) }
        try expectEqual(first.records, [], "the reports to the first sink")
        try expectTrue(!second.changes.isEmpty, "changes are reported to the second sink")
    }

    private static func sinkIsNotRetained(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        weak var sink: RecordingSink?
        do {
            let first = RecordingSink()
            sink = first
            connection.storage.report(to: first, interest: .everyRow)
            try change(connection)
        }
        try expectTrue(sink == nil, "the sink is released")
        try change(connection)
    }

    private static func connectionsReportTheirOwnChanges(_ fixture: ContractFixture) throws {
        let (a, b) = try fixture.pair()
        let sink = try a.recording(.everyRow) { _ in try change(b) }
        try expectEqual(sink.records, [], "the reports of the other connection's changes")
    }
}
