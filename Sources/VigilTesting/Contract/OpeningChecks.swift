import VigilStorage

/// Checks how databases are opened, created and protected from writes.
enum OpeningChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "databaseIsCreated", promise: "A database is created, and the next connection opens it.",
            databaseIsCreated),
        .init(
            "missingDatabaseIsNotCreated",
            promise: "Opening a missing database without .create throws, and does not create it.",
            missingDatabaseIsNotCreated),
        .init(
            "readOnlyConnectionCannotWrite",
            promise: "A read-only connection reads, and throws an error for writes.",
            readOnlyConnectionCannotWrite),
        .init(
            "memoryDatabasesAreSharedByName",
            promise:
                "Connections to databases in memory of one name share them, until the last connection closes.",
            memoryDatabasesAreSharedByName),
        .init(
            "readOnlyModeCanBeSwitched",
            promise: "setReadOnly(true) makes writes throw until setReadOnly(false).",
            readOnlyModeCanBeSwitched),
    ]

    private static func databaseIsCreated(_ fixture: ContractFixture) throws {
        let location = fixture.location()
        let first = try fixture.open(location)
        try first.createPlayers(count: 1)
        try first.storage.close()
        for access in [StorageOptions.Access.readWrite, .readOnly, .create] {
            let next = try fixture.open(location) { $0.access = access }
            try expectEqual(try next.playerIDs(), [1], "the rows read by the next connection, \(access)")
            try next.storage.close()
        }
    }

    private static func missingDatabaseIsNotCreated(_ fixture: ContractFixture) throws {
        let location = fixture.location()
        try fixture.require(!location.isServer, "the backend creates no databases")
        for access in [StorageOptions.Access.readWrite, .readOnly, .readWrite] {
            try expectError(.cannotOpen, "opening a missing database with .\(access)") {
                _ = try fixture.open(location) { $0.access = access }
            }
        }
    }

    private static func readOnlyConnectionCannotWrite(_ fixture: ContractFixture) throws {
        let location = fixture.location()
        let writer = try fixture.open(location)
        try writer.createPlayers(count: 1)
        try writer.storage.close()
        let reader = try fixture.open(location) { $0.access = .readOnly }
        for sql in [
            "INSERT INTO player VALUES (2, 'b', 0)", "CREATE TABLE other(a INTEGER)", "DELETE FROM player",
        ] {
            try expectError(.readOnly, "on a read-only connection, \(sql)") { try reader.execute(sql) }
        }
        try expectEqual(try reader.playerIDs(), [1], "the rows after the failed writes")
    }

    private static func memoryDatabasesAreSharedByName(_ fixture: ContractFixture) throws {
        let name = StorageLocation.memory(name: "contract")
        let first: ContractConnection
        do {
            first = try fixture.open(name)
        } catch let error as StorageError where error.code.primary == .cannotOpen {
            throw NotApplicable(reason: "the backend has no databases in memory")
        }
        try first.createPlayers(count: 1)
        let second = try fixture.open(name)
        try expectEqual(try second.playerIDs(), [1], "the rows in the database of the same name")
        let unnamed = try fixture.open(.memory(name: nil))
        try expectEqual(
            try unnamed.storage.table("player", in: nil)?.name, nil, "the table in a database without a name")
        try first.storage.close()
        try second.storage.close()
        let third = try fixture.open(name)
        try expectEqual(
            try third.storage.table("player", in: nil)?.name, nil,
            "the table after the last connection closed")
    }

    private static func readOnlyModeCanBeSwitched(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        try connection.storage.setReadOnly(true)
        for sql in [
            "INSERT INTO player VALUES (2, 'b', 0)", "CREATE TABLE other(a INTEGER)", "DELETE FROM player",
        ] {
            try expectError(.readOnly, "in read-only mode, \(sql)") { try connection.execute(sql) }
        }
        try expectEqual(try connection.playerIDs(), [1], "the rows in read-only mode")
        try connection.storage.setReadOnly(false)
        try connection.insertPlayer(2)
        try expectEqual(try connection.playerIDs(), [1, 2], "the rows after read-only mode")
    }
}
