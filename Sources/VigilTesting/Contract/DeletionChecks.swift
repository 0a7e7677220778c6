import VigilStorage

/// Checks the reports of often omitted deletions: by REPLACE, and of all rows at once.
enum DeletionChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "replacedRowIsCovered",
            promise: "A row that REPLACE deletes in favor of another one is reported.",
            replacedRowIsCovered),
        .init(
            "replacementReportsEveryRow",
            promise: "A backend that declares reportsEveryRow reports each row that REPLACE deletes.",
            replacementReportsEveryRow),
        .init(
            "emptyingIsCovered", promise: "DELETE FROM t is reported for each row, or for the table.",
            emptyingIsCovered),
        .init(
            "emptyingReportsEveryRow",
            promise: "A backend that declares reportsEveryRow reports each row that DELETE FROM t deletes.",
            emptyingReportsEveryRow),
        .init(
            "emptyingIsReportedByEarlierStatements",
            promise: "DELETE FROM t is also reported if it was compiled before the sink was set.",
            emptyingIsReportedByEarlierStatements),
    ]

    private static let player = ContractConnection.player

    private static func expectCovered(_ keys: [Int64], in sink: RecordingSink, _ message: String) throws {
        for key in keys {
            try expect(
                sink.covers(.integer(key), of: player), message, expected: "a report that covers row \(key)",
                actual: "\(sink.lines)")
        }
    }

    private static func expectEachDeleted(_ keys: [Int64], in sink: RecordingSink, _ message: String) throws {
        let deleted = sink.rows.filter { $0.kind == .delete && $0.table == player }.compactMap(\.oldKey)
        try expect(
            Set(deleted) == Set(keys.map { .integer($0) }), message, expected: "each of \(keys) deleted",
            actual: "\(sink.lines)")
    }

    private static func replacedRowIsCovered(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 3)
        try fixture.require(connection.hasStatementsOfSQLite, "INSERT has no OR clause")
        for (interest, id) in [(ChangeInterest.changes, 8), (.everyRow, 9)] {
            let sink = try connection.recording(interest) { _ in
                try connection.execute("INSERT OR REPLACE INTO player VALUES (\(id), 'p1', 0)")
            }
            let replaced: Int64 = id == 8 ? 1 : 8
            try expectCovered([replaced, Int64(id)], in: sink, "replacing row \(replaced) with \(id)")
        }
        let sink = try connection.recording(.changes) { _ in
            try connection.execute("INSERT OR REPLACE INTO player VALUES (2, 'p3', 0)")
        }
        try expectCovered([2, 3], in: sink, "replacing rows 2 and 3 with 2")
    }

    private static func replacementReportsEveryRow(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 3)
        try fixture.require(
            connection.storage.capabilities.reportsEveryRow, "the backend does not report every row")
        let sink = try connection.recording(.everyRow) { _ in
            try connection.execute("INSERT OR REPLACE INTO player VALUES (9, 'p1', 0)")
        }
        try expectEachDeleted([1], in: sink, "replacing row 1 with 9")
    }

    private static func emptyingIsCovered(_ fixture: ContractFixture) throws {
        for interest in [ChangeInterest.changes, .everyRow] {
            let connection = try fixture.players(count: 3)
            let sink = try connection.recording(interest) { _ in
                try connection.execute("DELETE FROM player")
            }
            try expectCovered([1, 2, 3], in: sink, "deleting all rows, with interest \(interest)")
            try expectEqual(try connection.playerIDs(), [], "the remaining rows")
        }
    }

    private static func emptyingReportsEveryRow(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 3)
        try fixture.require(
            connection.storage.capabilities.reportsEveryRow, "the backend does not report every row")
        let sink = try connection.recording(.everyRow) { _ in try connection.execute("delete from PLAYER") }
        try expectEachDeleted([1, 2, 3], in: sink, "deleting all rows")
    }

    private static func emptyingIsReportedByEarlierStatements(_ fixture: ContractFixture) throws {
        for interest in [ChangeInterest.changes, .everyRow] {
            let connection = try fixture.players(count: 3)
            let preparation = try connection.storage.prepare(
                "DELETE FROM player", fromUTF8Offset: 0, isCached: true)
            let deletion = try expectValue(preparation.statement, "the statement")
            defer { deletion.finalize() }
            let sink = try connection.recording(interest) { _ in try deletion.runAndReset() }
            try expectCovered(
                [1, 2, 3], in: sink, "deleting all rows with an earlier statement, with interest \(interest)")
            guard interest == .everyRow, connection.storage.capabilities.reportsEveryRow else { continue }
            try expectEachDeleted([1, 2, 3], in: sink, "deleting all rows with an earlier statement")
        }
    }
}
