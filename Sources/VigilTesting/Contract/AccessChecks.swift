import VigilStorage

/// Checks that compiled statements declare what they read and write.
enum AccessChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "readsAreNamed",
            promise: "A statement declares the tables and columns that it reads, wherever it uses them.",
            readsAreNamed),
        .init("countingReadsTheTable", promise: "COUNT(*) reads the table.", countingReadsTheTable),
        .init(
            "writesAreNamed",
            promise: "A statement declares the tables that it writes, how, and the columns that it assigns.",
            writesAreNamed),
        .init(
            "writesNameWhatTheyRead",
            promise: "A statement that writes also declares what it reads in order to do so.",
            writesNameWhatTheyRead),
        .init(
            "namesHaveTheSchemasSpelling",
            promise: "Declared names have the schema's spelling, whatever the spelling in the statement.",
            namesHaveTheSchemasSpelling),
        .init(
            "transactionEffectsAreNamed", promise: "A statement declares its effect on the transaction.",
            transactionEffectsAreNamed),
        .init(
            "schemaChangesAreNamed", promise: "A statement declares that it changes the schema.",
            schemaChangesAreNamed
        ),
        .init(
            "readOnlyStatementsAreRecognized",
            promise: "A statement declares whether it leaves the database unchanged.",
            readOnlyStatementsAreRecognized),
    ]

    private static let player = ContractConnection.player
    private static let columns: Set<String> = ["id", "name", "score"]

    /// Fails unless the access reads at least these columns, and only the table of players.
    private static func expectRead(_ names: Set<String>, in access: StatementAccess, of sql: String) throws {
        if access.readsUnknown { return }
        try expectEqual(access.reads.map(\.table), [player], "the tables read by \(sql)")
        guard let read = access.reads.first?.columns else { return }
        try expect(
            read.isSuperset(of: names), "the columns read by \(sql)", expected: "\(names.sorted())",
            actual: "\(read.sorted())")
        try expect(
            read.isSubset(of: columns), "the columns read by \(sql)",
            expected: "columns of the table", actual: "\(read.sorted())")
    }

    private static func expectRead(
        _ names: Set<String>, by sql: String, on connection: ContractConnection
    ) throws {
        try connection.withStatement(sql) { try expectRead(names, in: $0.access, of: sql) }
    }

    private static func readsAreNamed(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for (sql, names) in [
            ("SELECT name FROM player", ["name"]), ("SELECT * FROM player", columns),
            ("SELECT name FROM player WHERE score > 1 ORDER BY id", columns),
            ("SELECT score FROM player WHERE name = ? LIMIT 1", ["name", "score"]),
            ("SELECT MAX(score) FROM player", ["score"]),
        ] as [(String, Set<String>)] {
            try expectRead(names, by: sql, on: connection)
            try connection.withStatement(sql) {
                try expectEqual($0.access.writes, [], "the tables written by \(sql)")
            }
        }
    }

    private static func countingReadsTheTable(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        try expectRead([], by: "SELECT COUNT(*) FROM player", on: connection)
        // A backend need not treat a row's key as one of its columns.
        try expectRead([], by: "SELECT id FROM player", on: connection)
        try expectRead(["score"], by: "SELECT COUNT(*) FROM player WHERE score > 1", on: connection)
    }

    private static func writesAreNamed(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        try fixture.require(
            connection.storage.capabilities.reportsOwnChanges, "the backend does not report its own changes")
        for (sql, kind) in [
            ("INSERT INTO player VALUES (1, 'a', 0)", .insert),
            ("INSERT OR REPLACE INTO player VALUES (1, 'a', 0)", .insert),
            ("DELETE FROM player", .delete), ("DELETE FROM player WHERE id = 1", .delete),
            ("UPDATE player SET score = 1", .update(columns: ["score"])),
            (
                "UPDATE player SET score = score + 1, name = 'a' WHERE id = 1",
                .update(columns: ["name", "score"])
            ),
        ] as [(String, TableWrite.Kind)] {
            try connection.withStatement(sql) {
                let writes = $0.access.writes
                try expect(
                    writes.contains(TableWrite(player, kind)), "the tables written by \(sql)",
                    expected: "\(kind)",
                    actual: "\(writes)")
                try expectTrue(
                    writes.allSatisfy { $0.table == player }, "\(sql) writes only the players' table")
            }
        }
    }

    private static func writesNameWhatTheyRead(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        try expectRead(["name"], by: "UPDATE player SET score = 1 WHERE name = 'a'", on: connection)
        try expectRead(["score"], by: "DELETE FROM player WHERE score > 1", on: connection)
    }

    private static func namesHaveTheSchemasSpelling(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let table = connection.hasStatementsOfSQLite ? "\"Player\"" : "Player"
        try expectRead(["name", "score"], by: "select NAME from \(table) where Score > 1", on: connection)
        guard connection.storage.capabilities.reportsOwnChanges else { return }
        try connection.withStatement("update PLAYER set SCORE = 1") {
            try expectEqual(
                $0.access.writes, [TableWrite(player, .update(columns: ["score"]))],
                "the tables written by an UPDATE in capitals")
        }
    }

    private static func transactionEffectsAreNamed(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for (sql, effect) in [
            ("BEGIN", .begin), (connection.hasStatementsOfSQLite ? "BEGIN IMMEDIATE" : "BEGIN WORK", .begin),
            ("COMMIT", .commit), ("END", .commit),
            ("ROLLBACK", .rollback), ("SAVEPOINT a", .savepoint("a")), ("RELEASE a", .release("a")),
            ("RELEASE SAVEPOINT \"b c\"", .release("b c")), ("ROLLBACK TO a", .rollbackTo("a")),
            ("SELECT id FROM player", nil), ("DELETE FROM player", nil),
        ] as [(String, TransactionEffect?)] {
            try connection.withStatement(sql) {
                try expectEqual($0.access.transactionEffect, effect, "the transaction effect of \(sql)")
            }
        }
    }

    private static func schemaChangesAreNamed(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        try connection.withStatement("CREATE TABLE other(a INTEGER)") {
            try expectTrue($0.access.changesSchema, "CREATE TABLE changes the schema")
        }
        try connection.withStatement("DROP TABLE player") {
            try expectTrue($0.access.changesSchema, "DROP TABLE changes the schema")
            if connection.storage.capabilities.reportsOwnChanges {
                try expectTrue(
                    $0.access.alteredTables.contains(player), "DROP TABLE declares the altered table")
            }
        }
        for sql in ["SELECT id FROM player", "DELETE FROM player", "BEGIN"] {
            try connection.withStatement(sql) {
                try expectTrue(!$0.access.changesSchema, "\(sql) does not change the schema")
                try expectEqual($0.access.alteredTables, [], "the tables altered by \(sql)")
            }
        }
    }

    private static func readOnlyStatementsAreRecognized(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for (sql, isReadOnly) in [
            ("SELECT id FROM player", true), ("INSERT INTO player VALUES (1, 'a', 0)", false),
            ("UPDATE player SET score = 1", false), ("DELETE FROM player", false),
            ("CREATE TABLE other(a INTEGER)", false), ("DROP TABLE player", false),
        ] {
            try connection.withStatement(sql) {
                try expectEqual($0.access.isReadOnly, isReadOnly, "isReadOnly of \(sql)")
            }
        }
    }
}
