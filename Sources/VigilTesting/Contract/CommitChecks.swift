import VigilStorage

/// Checks that the end of transactions is reported.
enum CommitChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "willCommitIsCalledOnce",
            promise: "willCommit() is called once for each transaction, after its changes.",
            willCommitIsCalledOnce),
        .init("rollbackIsReportedOnce", promise: "A rollback is reported once.", rollbackIsReportedOnce),
        .init(
            "failedStatementReportsARollback",
            promise:
                "A statement outside of a transaction that fails after it reported changes reports a rollback.",
            failedStatementReportsARollback),
        .init(
            "failedStatementKeepsTheTransaction",
            promise: "A statement that fails inside a transaction reports no rollback.",
            failedStatementKeepsTheTransaction),
        .init(
            "commitCanBeVetoed",
            promise: "A commit that the sink prevents throws, and the transaction is rolled back.",
            commitCanBeVetoed),
        .init(
            "statementCanBeVetoed",
            promise:
                "A statement outside of a transaction whose commit the sink prevents throws, and is rolled back.",
            statementCanBeVetoed),
        .init(
            "readingReportsNothing", promise: "A transaction that only reads reports nothing.",
            readingReportsNothing),
    ]

    private static func willCommitIsCalledOnce(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let transactions: [(String, () throws -> Void)] = [
            ("a statement", { try connection.execute("INSERT INTO player VALUES (1, 'a', 0), (2, 'b', 0)") }),
            (
                "a transaction",
                {
                    try connection.begin(.beginImmediate)
                    try connection.insertPlayer(3)
                    try connection.insertPlayer(4)
                    try connection.commit()
                }
            ),
            (
                "a savepoint",
                {
                    let (begin, end) = connection.hasStatementsOfSQLite ? ("", "") : ("BEGIN; ", "; COMMIT")
                    try connection.execute(
                        "\(begin)SAVEPOINT a; SAVEPOINT b; DELETE FROM player WHERE id > 0")
                    try connection.execute("RELEASE b; RELEASE a\(end)")
                }
            ),
        ]
        for (name, run) in transactions {
            for interest in [ChangeInterest.transactions, .changes, .everyRow] {
                let sink = try connection.recording(interest) { _ in try run() }
                try expectEqual(
                    sink.count(of: .willCommit), 1, "the commits of \(name), with interest \(interest)")
                try expectEqual(
                    sink.records.last, .willCommit, "the last report of \(name), with interest \(interest)")
                try expectEqual(
                    sink.count(of: .didRollback), 0, "the rollbacks of \(name), with interest \(interest)")
                try connection.execute("DELETE FROM player")
            }
        }
    }

    private static func rollbackIsReportedOnce(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for interest in [ChangeInterest.transactions, .changes] {
            let sink = try connection.recording(interest) { _ in
                try connection.begin()
                try connection.insertPlayer(1)
                try connection.storage.perform(.rollback)
            }
            try expectEqual(
                sink.count(of: .didRollback), 1, "the number of rollbacks, with interest \(interest)")
            try expectEqual(
                sink.count(of: .willCommit), 0, "the number of commits, with interest \(interest)")
            try expectEqual(sink.records.last, .didRollback, "the last report, with interest \(interest)")
        }
        guard connection.hasStatementsOfSQLite else { return }
        let sink = try connection.recording(.transactions) { _ in
            try connection.execute("SAVEPOINT a; INSERT INTO player VALUES (1, 'a', 0); ROLLBACK")
        }
        try expectEqual(sink.records, [.didRollback], "the reports of a savepoint and a rollback")
    }

    private static func failedStatementReportsARollback(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        let sink = try connection.recording(.everyRow) { _ in
            try expectError(.constraint, "inserting 2 and 1") {
                try connection.execute("INSERT INTO player VALUES (2, 'b', 0), (1, 'c', 0)")
            }
        }
        try expectEqual(sink.count(of: .willCommit), 0, "the number of commits")
        if !sink.changes.isEmpty {
            try expectEqual(sink.records.last, .didRollback, "the last report")
            try expectEqual(sink.count(of: .didRollback), 1, "the number of rollbacks")
        }
    }

    private static func failedStatementKeepsTheTransaction(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        try fixture.require(
            connection.storage.capabilities.survivesStatementErrors,
            "a failed statement aborts the transaction")
        let sink = try connection.recording(.changes) { _ in
            try connection.begin()
            try connection.insertPlayer(2)
            try expectError(.constraint, "inserting 1 again") { try connection.insertPlayer(1) }
            try connection.commit()
        }
        try expectEqual(sink.count(of: .didRollback), 0, "the number of rollbacks")
        try expectEqual(sink.count(of: .willCommit), 1, "the number of commits")
        try expectTrue(sink.covers(.integer(2), of: ContractConnection.player), "row 2 is reported")
    }

    private static func commitCanBeVetoed(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        let sink = try connection.recording(.changes) { sink in
            sink.allowsCommit = false
            try connection.begin()
            try connection.insertPlayer(2)
            try expectError(.constraint, "a commit that the sink prevents") { try connection.commit() }
        }
        try expectTrue(!connection.storage.isInTransaction, "no open transaction after the prevented commit")
        try expectEqual(sink.count(of: .willCommit), 1, "the number of calls of willCommit()")
        try expectEqual(sink.count(of: .didRollback), 1, "the number of rollbacks")
        try expectEqual(sink.records.last, .didRollback, "the last report")
        try expectEqual(try connection.playerIDs(), [1], "the rows after the prevented commit")
        try connection.insertPlayer(3)
        try expectEqual(try connection.playerIDs(), [1, 3], "the rows after the next statement")
    }

    private static func statementCanBeVetoed(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        try fixture.require(
            connection.storage.capabilities.reportsOwnChanges, "the backend does not report its own changes")
        let sink = try connection.recording(.transactions) { sink in
            sink.allowsCommit = false
            try expectError(.constraint, "a statement whose commit the sink prevents") {
                try connection.insertPlayer(2)
            }
        }
        try expectEqual(sink.records, [.willCommit, .didRollback], "the reports")
        try expectEqual(try connection.playerIDs(), [1], "the rows after the prevented commit")
    }

    private static func readingReportsNothing(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        let sink = try connection.recording(.everyRow) { _ in
            _ = try connection.playerIDs()
            try connection.begin()
            _ = try connection.playerIDs()
            try connection.commit()
        }
        try expectEqual(sink.records, [], "the reports of reads")
    }
}
