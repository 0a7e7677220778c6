import VigilStorage

/// What compiled statements say about themselves.
enum AccessChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "readsAreNamed", "A statement names the tables and columns that it reads, wherever it uses them.",
            readsAreNamed),
        .init("countingReadsTheTable", "COUNT(*) reads the table.", countingReadsTheTable),
        .init(
            "writesAreNamed",
            "A statement names the tables that it writes, how, and the columns that it sets.",
            writesAreNamed),
        .init(
            "writesNameWhatTheyRead", "A statement that writes also names what it reads for that.",
            writesNameWhatTheyRead),
        .init(
            "namesAreTheSchemas", "Names are in the schema's spelling, whatever the statement's.",
            namesAreTheSchemas),
        .init(
            "transactionEffectsAreNamed", "A statement names what it does to the transaction.",
            transactionEffectsAreNamed),
        .init(
            "schemaChangesAreNamed", "A statement says that it changes the schema.", schemaChangesAreNamed),
        .init(
            "readOnlyStatementsAreTold", "A statement tells whether it leaves the database as it is.",
            readOnlyStatementsAreTold),
    ]

    private static let player = ContractConnection.player
    private static let columns: Set<String> = ["id", "name", "score"]

    /// Fails unless the access admits to reading these columns, of this table and no other one.
    private static func expectRead(_ names: Set<String>, _ access: StatementAccess, _ sql: String) throws {
        if access.readsUnknown { return }
        try expectEqual(access.reads.map(\.table), [player], "the tables that are read by \(sql)")
        guard let read = access.reads.first?.columns else { return }
        try expect(
            read.isSuperset(of: names), "the columns that are read by \(sql)", expected: "\(names.sorted())",
            actual: "\(read.sorted())")
        try expect(
            read.isSubset(of: columns), "the columns that are read by \(sql)",
            expected: "columns of the table", actual: "\(read.sorted())")
    }

    private static func expectRead(
        _ names: Set<String>, by sql: String, on connection: ContractConnection
    ) throws {
        try connection.withStatement(sql) { try expectRead(names, $0.access, sql) }
    }

    private static func readsAreNamed(_ bench: ContractBench) throws {
        let connection = try bench.players()
        for (sql, names) in [
            ("SELECT name FROM player", ["name"]), ("SELECT * FROM player", columns),
            ("SELECT name FROM player WHERE score > 1 ORDER BY id", columns),
            ("SELECT score FROM player WHERE name = ? LIMIT 1", ["name", "score"]),
            ("SELECT MAX(score) FROM player", ["score"]),
        ] as [(String, Set<String>)] {
            try expectRead(names, by: sql, on: connection)
            try connection.withStatement(sql) {
                try expectEqual($0.access.writes, [], "the writes of \(sql)")
            }
        }
    }

    private static func countingReadsTheTable(_ bench: ContractBench) throws {
        let connection = try bench.players()
        try expectRead([], by: "SELECT COUNT(*) FROM player", on: connection)
        // What identifies a row may be no column of it.
        try expectRead([], by: "SELECT id FROM player", on: connection)
        try expectRead(["score"], by: "SELECT COUNT(*) FROM player WHERE score > 1", on: connection)
    }

    private static func writesAreNamed(_ bench: ContractBench) throws {
        let connection = try bench.players()
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
                    writes.contains(TableWrite(player, kind)), "the writes of \(sql)", expected: "\(kind)",
                    actual: "\(writes)")
                try expectTrue(writes.allSatisfy { $0.table == player }, "\(sql) writes no other table")
            }
        }
    }

    private static func writesNameWhatTheyRead(_ bench: ContractBench) throws {
        let connection = try bench.players()
        try expectRead(["name"], by: "UPDATE player SET score = 1 WHERE name = 'a'", on: connection)
        try expectRead(["score"], by: "DELETE FROM player WHERE score > 1", on: connection)
    }

    private static func namesAreTheSchemas(_ bench: ContractBench) throws {
        let connection = try bench.players()
        let sql = "select NAME from \"Player\" where Score > 1"
        try expectRead(["name", "score"], by: sql, on: connection)
        try connection.withStatement("update PLAYER set SCORE = 1") {
            try expectEqual(
                $0.access.writes, [TableWrite(player, .update(columns: ["score"]))], "the writes in capitals")
        }
    }

    private static func transactionEffectsAreNamed(_ bench: ContractBench) throws {
        let connection = try bench.players()
        for (sql, effect) in [
            ("BEGIN", .begin), ("BEGIN IMMEDIATE", .begin), ("COMMIT", .commit), ("END", .commit),
            ("ROLLBACK", .rollback), ("SAVEPOINT a", .savepoint("a")), ("RELEASE a", .release("a")),
            ("RELEASE SAVEPOINT \"b c\"", .release("b c")), ("ROLLBACK TO a", .rollbackTo("a")),
            ("SELECT id FROM player", nil), ("DELETE FROM player", nil),
        ] as [(String, TransactionEffect?)] {
            try connection.withStatement(sql) {
                try expectEqual($0.access.transactionEffect, effect, "the effect of \(sql)")
            }
        }
    }

    private static func schemaChangesAreNamed(_ bench: ContractBench) throws {
        let connection = try bench.players()
        try connection.withStatement("CREATE TABLE other(a)") {
            try expectTrue($0.access.changesSchema, "CREATE TABLE changes the schema")
        }
        try connection.withStatement("DROP TABLE player") {
            try expectTrue($0.access.changesSchema, "DROP TABLE changes the schema")
            try expectTrue($0.access.alteredTables.contains(player), "DROP TABLE names the table")
        }
        for sql in ["SELECT id FROM player", "DELETE FROM player", "BEGIN"] {
            try connection.withStatement(sql) {
                try expectTrue(!$0.access.changesSchema, "\(sql) does not change the schema")
                try expectEqual($0.access.alteredTables, [], "the tables altered by \(sql)")
            }
        }
    }

    private static func readOnlyStatementsAreTold(_ bench: ContractBench) throws {
        let connection = try bench.players()
        for (sql, isReadOnly) in [
            ("SELECT id FROM player", true), ("INSERT INTO player VALUES (1, 'a', 0)", false),
            ("UPDATE player SET score = 1", false), ("DELETE FROM player", false),
            ("CREATE TABLE other(a)", false), ("DROP TABLE player", false),
        ] {
            try connection.withStatement(sql) {
                try expectEqual($0.access.isReadOnly, isReadOnly, "isReadOnly of \(sql)")
            }
        }
    }
}
