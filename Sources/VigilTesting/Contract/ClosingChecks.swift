import VigilStorage

enum ClosingChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "liveStatementsPreventClosing",
            promise:
                "Closing a connection with a statement that is not finalized throws, and leaves it usable.",
            liveStatementsPreventClosing),
        .init(
            "closedConnectionIsUnusable", promise: "Every use of a closed connection is a misuse error.",
            closedConnectionIsUnusable),
        .init(
            "closingTwiceIsHarmless", promise: "Closing a closed connection does nothing.",
            closingTwiceIsHarmless),
        .init(
            "closingRollsBack",
            promise: "Closing a connection rolls back its open transaction, and releases its locks.",
            closingRollsBack),
    ]

    private static func liveStatementsPreventClosing(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        try connection.withStatement("SELECT id FROM player") { statement in
            try expectError(.busy, "closing with a statement that has never run") {
                try connection.storage.close()
            }
            try expectEqual(try statement.allRows(), [[.integer(1)]], "the rows of the statement")
            try expectError(.busy, "closing with a statement that has run") { try connection.storage.close() }
        }
        try connection.insertPlayer(2)
        try expectEqual(try connection.playerIDs(), [1, 2], "the rows after close() threw")
        try connection.storage.close()
    }

    private static func closedConnectionIsUnusable(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let storage = connection.storage
        try storage.close()
        try expectError(.misuse, "compiling") {
            _ = try storage.prepare("SELECT id FROM player", fromUTF8Offset: 0, isCached: false)
        }
        try expectError(.misuse, "beginning a transaction") { try storage.perform(.beginDeferred) }
        try expectError(.misuse, "looking up a table") { _ = try storage.table("player", in: nil) }
        try expectError(.misuse, "setting read-only mode") { try storage.setReadOnly(true) }
        try expectError(.misuse, "reading the foreign change token") {
            _ = try storage.foreignChangeToken()
        }
        try expectTrue(!storage.isInTransaction, "no open transaction after close()")
        _ = storage.capabilities
        storage.report(to: RecordingSink(), interest: .everyRow)
        storage.releaseMemory()
    }

    private static func closingTwiceIsHarmless(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for _ in 1...3 { try connection.storage.close() }
    }

    private static func closingRollsBack(_ fixture: ContractFixture) throws {
        let (a, b) = try fixture.pair(count: 1)
        try a.begin(.beginImmediate)
        try a.insertPlayer(2)
        try a.storage.close()
        try expectEqual(try b.playerIDs(), [1], "the rows after the other connection closed")
        try b.insertPlayer(3)
        try expectEqual(try b.playerIDs(), [1, 3], "the rows after the next write")
    }
}
