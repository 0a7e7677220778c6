import VigilStorage

/// Checks what statements leave behind when they fail.
enum FailureChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "errorsExplainThemselves",
            promise:
                "SQL that does not compile throws an error that names the offending word and contains the SQL.",
            errorsExplainThemselves),
        .init(
            "failingStepNamesItsStatement", promise: "The error of a step contains the statement's SQL.",
            failingStepNamesItsStatement),
        .init(
            "constraintsAreKept", promise: "A row that violates a constraint throws a constraint error.",
            constraintsAreKept),
        .init(
            "statementIsAllOrNothing", promise: "A statement that fails leaves none of its changes behind.",
            statementIsAllOrNothing),
        .init(
            "failureLeavesTheTransaction",
            promise: "A statement that violates a constraint leaves the transaction open.",
            failureLeavesTheTransaction),
        .init(
            "failureAbortsTheTransaction",
            promise:
                "After a failure that ends a transaction, only a rollback is possible, completely or to a savepoint.",
            failureAbortsTheTransaction),
        .init(
            "failedStatementRunsAgain",
            promise: "A statement that has failed can be reset, bound and run again.",
            failedStatementRunsAgain),
        .init(
            "conflictsCanBeResolved", promise: "OR IGNORE keeps the existing row, OR REPLACE the new one.",
            conflictsCanBeResolved),
    ]

    private static func errorsExplainThemselves(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        for (sql, culprit) in [
            ("SELECT id FROM missing", "missing"), ("SELECT absent FROM player", "absent"),
            ("SELEC id FROM player", "SELEC"),
        ] {
            let error = try expectError(.error, "compiling \(sql)") { try connection.execute(sql) }
            try expect(
                error.message.contains(culprit), "the message for \(sql)", expected: "a text with \(culprit)",
                actual: error.message)
            try expect(
                error.sql?.contains(sql) == true, "the SQL of the error", expected: sql,
                actual: error.sql ?? "nil")
        }
        try expectEqual(try connection.playerIDs(), [1], "the rows after the errors")
    }

    private static func failingStepNamesItsStatement(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        let sql = "INSERT INTO player VALUES (?, 'secret', 0)"
        let error = try expectError(.constraint, sql) { try connection.execute(sql, [.integer(1)]) }
        try expect(
            error.sql?.contains(sql) == true, "the SQL of the error", expected: sql,
            actual: error.sql ?? "nil")
        try expectTrue(!error.message.isEmpty, "the error has a message")
    }

    private static func constraintsAreKept(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 2)
        for sql in [
            "INSERT INTO player VALUES (1, 'new', 0)", "INSERT INTO player VALUES (3, 'p1', 0)",
            "INSERT INTO player VALUES (3, NULL, 0)", "UPDATE player SET name = 'p1' WHERE id = 2",
            "UPDATE player SET id = 1 WHERE id = 2", "UPDATE player SET name = NULL WHERE id = 2",
        ] {
            try expectError(.constraint, sql) { try connection.execute(sql) }
        }
        try expectEqual(
            try connection.rows("SELECT id, name FROM player ORDER BY id"),
            [[.integer(1), .text("p1")], [.integer(2), .text("p2")]], "the rows after the refused statements")
    }

    private static func statementIsAllOrNothing(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 3)
        try expectError(.constraint, "inserting 4, 5 and 1") {
            try connection.execute("INSERT INTO player VALUES (4, 'd', 0), (5, 'e', 0), (1, 'f', 0)")
        }
        try expectEqual(try connection.playerIDs(), [1, 2, 3], "the rows after the failed statement")
        try expectTrue(!connection.storage.isInTransaction, "no open transaction after the failed statement")
        try connection.insertPlayer(4)
        try expectEqual(try connection.playerIDs(), [1, 2, 3, 4], "the rows after the next statement")
    }

    private static func failureAbortsTheTransaction(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        try fixture.require(
            !connection.storage.capabilities.survivesStatementErrors,
            "transactions survive the failure of a statement")
        for savepoint in [nil, "a"] {
            try connection.begin(.beginImmediate)
            try connection.insertPlayer(2)
            if let savepoint { try connection.storage.perform(.savepoint(savepoint)) }
            try expectError(.constraint, "inserting 1 again") { try connection.insertPlayer(1) }
            try expectTrue(connection.storage.isInTransaction, "an open transaction after the failure")
            try expectError(.abort, "reading after the failure") { _ = try connection.playerIDs() }
            if let savepoint {
                try connection.storage.perform(.rollbackTo(savepoint))
                try connection.commit()
            } else {
                try expectError(.abort, "committing after the failure") { try connection.commit() }
            }
            try expectTrue(!connection.storage.isInTransaction, "no open transaction at the end")
            try expectEqual(
                try connection.playerIDs(), savepoint == nil ? [1] : [1, 2], "the committed rows")
        }
    }

    private static func failureLeavesTheTransaction(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        try fixture.require(
            connection.storage.capabilities.survivesStatementErrors,
            "a failed statement aborts the transaction")
        try connection.begin()
        try connection.insertPlayer(2)
        try expectError(.constraint, "inserting 3 and 1") {
            try connection.execute("INSERT INTO player VALUES (3, 'c', 0), (1, 'd', 0)")
        }
        try expectTrue(connection.storage.isInTransaction, "an open transaction after the failure")
        try connection.insertPlayer(4)
        try connection.commit()
        try expectEqual(try connection.playerIDs(), [1, 2, 4], "the committed rows")
    }

    private static func failedStatementRunsAgain(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        try connection.withStatement("INSERT INTO player VALUES (?, ?, 0)") { insertion in
            try insertion.bind([.integer(1), .text("a")])
            try expectError(.constraint, "inserting 1 again") { _ = try insertion.step() }
            insertion.reset()
            try insertion.bind([.integer(2), .text("b")])
            try insertion.runAndReset()
        }
        try expectEqual(try connection.playerIDs(), [1, 2], "the rows after the second run")
    }

    private static func conflictsCanBeResolved(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 2)
        try fixture.require(connection.hasStatementsOfSQLite, "INSERT has no OR clause")
        try connection.execute("INSERT OR IGNORE INTO player VALUES (1, 'new', 0), (3, 'p3', 30)")
        try expectEqual(
            try connection.rows("SELECT id, name FROM player ORDER BY id"),
            [[.integer(1), .text("p1")], [.integer(2), .text("p2")], [.integer(3), .text("p3")]],
            "the rows after OR IGNORE")
        try connection.execute("INSERT OR REPLACE INTO player VALUES (3, 'p1', 99)")
        try expectEqual(
            try connection.rows("SELECT id, name FROM player ORDER BY id"),
            [[.integer(2), .text("p2")], [.integer(3), .text("p1")]], "the rows after OR REPLACE")
    }
}
