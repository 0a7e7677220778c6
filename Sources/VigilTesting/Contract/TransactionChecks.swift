import VigilStorage

enum TransactionChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "commitKeeps", promise: "A commit makes the changes of the transaction permanent.", commitKeeps),
        .init(
            "rollbackUndoes",
            promise: "A rollback reverts the whole transaction, including changes of the schema.",
            rollbackUndoes),
        .init(
            "sqlBeginsAndEndsTransactions", promise: "SQL can begin and end transactions.",
            sqlBeginsAndEndsTransactions),
        .init(
            "transactionsDoNotNest",
            promise: "BEGIN inside a transaction throws, and leaves the transaction open.",
            transactionsDoNotNest),
        .init(
            "thereMustBeATransactionToEnd", promise: "COMMIT and ROLLBACK throw if no transaction is open.",
            thereMustBeATransactionToEnd),
    ]

    private static func commitKeeps(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let commands: [TransactionCommand] = [.beginDeferred, .beginImmediate, .beginExclusive]
        for (index, command) in commands.enumerated() {
            try connection.begin(command)
            try expectTrue(connection.storage.isInTransaction, "an open transaction after \(command)")
            try connection.insertPlayer(index + 1)
            try connection.commit()
            try expectTrue(!connection.storage.isInTransaction, "no open transaction after the commit")
        }
        try expectEqual(try connection.playerIDs(), [1, 2, 3], "the committed rows")
    }

    private static func rollbackUndoes(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        try connection.begin()
        try connection.execute("INSERT INTO player VALUES (2, 'b', 0); DELETE FROM player WHERE id = 1")
        try connection.execute("CREATE TABLE other(a INTEGER); INSERT INTO other VALUES (1)")
        try expectEqual(try connection.playerIDs(), [2], "the rows inside the transaction")
        try connection.storage.perform(.rollback)
        try expectTrue(!connection.storage.isInTransaction, "no open transaction after the rollback")
        try expectEqual(try connection.playerIDs(), [1], "the rows after the rollback")
        try expectEqual(
            try connection.storage.table("other", in: nil)?.name, nil, "the table after the rollback")
    }

    private static func sqlBeginsAndEndsTransactions(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let pairs =
            connection.hasStatementsOfSQLite
            ? [
                ("BEGIN", "COMMIT"), ("BEGIN DEFERRED TRANSACTION", "END"),
                ("BEGIN IMMEDIATE", "COMMIT TRANSACTION"), ("begin exclusive", "ROLLBACK"),
            ]
            : [
                ("BEGIN", "COMMIT"), ("BEGIN TRANSACTION", "END"), ("begin work", "COMMIT TRANSACTION"),
                ("START TRANSACTION", "ROLLBACK"),
            ]
        for (begin, end) in pairs {
            try connection.execute(begin)
            try expectTrue(connection.storage.isInTransaction, "an open transaction after \(begin)")
            try connection.execute("INSERT INTO player(name) VALUES ('\(begin)')")
            try connection.execute(end)
            try expectTrue(!connection.storage.isInTransaction, "no open transaction after \(end)")
        }
        try expectEqual(try connection.playerIDs(), [1, 2, 3], "the committed rows")
    }

    private static func transactionsDoNotNest(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        try connection.begin()
        try connection.insertPlayer(1)
        for command in [TransactionCommand.beginDeferred, .beginImmediate, .beginExclusive] {
            try expectError(.error, "\(command) inside a transaction") { try connection.begin(command) }
        }
        try expectError(.error, "BEGIN inside a transaction") { try connection.execute("BEGIN") }
        try expectTrue(connection.storage.isInTransaction, "an open transaction after the errors")
        try connection.commit()
        try expectEqual(try connection.playerIDs(), [1], "the committed rows")
    }

    private static func thereMustBeATransactionToEnd(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for command in [TransactionCommand.commit, .rollback, .release("a"), .rollbackTo("a")] {
            try expectError(.error, "\(command) outside of a transaction") {
                try connection.storage.perform(command)
            }
        }
        try connection.insertPlayer(1)
        try expectEqual(try connection.playerIDs(), [1], "the rows after the errors")
    }
}
