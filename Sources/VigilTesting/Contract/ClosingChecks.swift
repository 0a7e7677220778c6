import VigilStorage

enum ClosingChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "liveStatementsPreventClosing",
            "A connection with a statement that is not finalized stays open, and usable.",
            liveStatementsPreventClosing),
        .init(
            "closedConnectionIsUnusable", "After it was closed, every use is a misuse error.",
            closedConnectionIsUnusable),
        .init("closingTwiceIsHarmless", "Closing again does nothing.", closingTwiceIsHarmless),
        .init(
            "closingRollsBack", "A transaction that is open when its connection closes is undone.",
            closingRollsBack),
    ]

    private static func liveStatementsPreventClosing(_ bench: ContractBench) throws {
        let connection = try bench.players(count: 1)
        try connection.withStatement("SELECT id FROM player") { statement in
            try expectError(.busy, "closing with a statement that never ran") {
                try connection.storage.close()
            }
            try expectEqual(try statement.allRows(), [[.integer(1)]], "the rows of the statement")
            try expectError(.busy, "closing with a statement that ran") { try connection.storage.close() }
        }
        try connection.insertPlayer(2)
        try expectEqual(try connection.playerIDs(), [1, 2], "the rows after the refusal")
        try connection.storage.close()
    }

    private static func closedConnectionIsUnusable(_ bench: ContractBench) throws {
        let connection = try bench.players()
        let storage = connection.storage
        try storage.close()
        try expectError(.misuse, "compiling") {
            _ = try storage.prepare("SELECT id FROM player", fromUTF8Offset: 0, isCached: false)
        }
        try expectError(.misuse, "beginning a transaction") { try storage.perform(.beginDeferred) }
        try expectError(.misuse, "asking for a table") { _ = try storage.table("player", in: nil) }
        try expectError(.misuse, "setting read-only mode") { try storage.setReadOnly(true) }
        try expectError(.misuse, "asking for the foreign-change token") {
            _ = try storage.foreignChangeToken()
        }
        try expectTrue(!storage.isInTransaction, "in no transaction")
        _ = storage.capabilities
        storage.report(to: RecordingSink(), interest: .everyRow)
        storage.releaseMemory()
    }

    private static func closingTwiceIsHarmless(_ bench: ContractBench) throws {
        let connection = try bench.players()
        for _ in 1...3 { try connection.storage.close() }
    }

    private static func closingRollsBack(_ bench: ContractBench) throws {
        let (a, b) = try bench.pair(count: 1)
        try a.begin(.beginImmediate)
        try a.insertPlayer(2)
        try a.storage.close()
        try expectEqual(try b.playerIDs(), [1], "the rows after the other one closed")
        try b.insertPlayer(3)
        try expectEqual(try b.playerIDs(), [1, 3], "the rows after the next write")
    }
}
