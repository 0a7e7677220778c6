import VigilStorage

enum TransactionChecks {
    static let all: [BackendContract.Check] = [
        .init("commitKeeps", "What is committed stays.", commitKeeps),
        .init("rollbackUndoes", "A rollback undoes the whole transaction, its tables too.", rollbackUndoes),
        .init(
            "sqlBeginsAndEndsTransactions", "Transactions can be begun and ended by SQL.",
            sqlBeginsAndEndsTransactions),
        .init(
            "transactionsDoNotNest", "BEGIN inside a transaction is an error that leaves it open.",
            transactionsDoNotNest),
        .init(
            "thereMustBeATransactionToEnd", "Without a transaction, COMMIT and ROLLBACK are errors.",
            thereMustBeATransactionToEnd),
    ]

    private static func commitKeeps(_ bench: ContractBench) throws {
        let connection = try bench.players()
        let commands: [TransactionCommand] = [.beginDeferred, .beginImmediate, .beginExclusive]
        for (index, command) in commands.enumerated() {
            try connection.begin(command)
            try expectTrue(connection.storage.isInTransaction, "in a transaction after \(command)")
            try connection.insertPlayer(index + 1)
            try connection.commit()
            try expectTrue(!connection.storage.isInTransaction, "in no transaction after the commit")
        }
        try expectEqual(try connection.playerIDs(), [1, 2, 3], "the committed rows")
    }

    private static func rollbackUndoes(_ bench: ContractBench) throws {
        let connection = try bench.players(count: 1)
        try connection.begin()
        try connection.execute("INSERT INTO player VALUES (2, 'b', 0); DELETE FROM player WHERE id = 1")
        try connection.execute("CREATE TABLE other(a); INSERT INTO other VALUES (1)")
        try expectEqual(try connection.playerIDs(), [2], "the rows inside the transaction")
        try connection.storage.perform(.rollback)
        try expectTrue(!connection.storage.isInTransaction, "in no transaction after the rollback")
        try expectEqual(try connection.playerIDs(), [1], "the rows after the rollback")
        try expectEqual(try connection.storage.table("other", in: nil)?.name, nil, "the table after it")
    }

    private static func sqlBeginsAndEndsTransactions(_ bench: ContractBench) throws {
        let connection = try bench.players()
        for (begin, end) in [
            ("BEGIN", "COMMIT"), ("BEGIN DEFERRED TRANSACTION", "END"),
            ("BEGIN IMMEDIATE", "COMMIT TRANSACTION"), ("begin exclusive", "ROLLBACK"),
        ] {
            try connection.execute(begin)
            try expectTrue(connection.storage.isInTransaction, "in a transaction after \(begin)")
            try connection.execute("INSERT INTO player(name) VALUES ('\(begin)')")
            try connection.execute(end)
            try expectTrue(!connection.storage.isInTransaction, "in no transaction after \(end)")
        }
        try expectEqual(try connection.playerIDs(), [1, 2, 3], "the committed rows")
    }

    private static func transactionsDoNotNest(_ bench: ContractBench) throws {
        let connection = try bench.players()
        try connection.begin()
        try connection.insertPlayer(1)
        for command in [TransactionCommand.beginDeferred, .beginImmediate, .beginExclusive] {
            try expectError(.error, "\(command) inside a transaction") { try connection.begin(command) }
        }
        try expectError(.error, "BEGIN inside a transaction") { try connection.execute("BEGIN") }
        try expectTrue(connection.storage.isInTransaction, "in the transaction after the errors")
        try connection.commit()
        try expectEqual(try connection.playerIDs(), [1], "the committed rows")
    }

    private static func thereMustBeATransactionToEnd(_ bench: ContractBench) throws {
        let connection = try bench.players()
        for command in [TransactionCommand.commit, .rollback, .release("a"), .rollbackTo("a")] {
            try expectError(.error, "\(command) outside of a transaction") {
                try connection.storage.perform(command)
            }
        }
        try connection.insertPlayer(1)
        try expectEqual(try connection.playerIDs(), [1], "the rows after the errors")
    }
}
