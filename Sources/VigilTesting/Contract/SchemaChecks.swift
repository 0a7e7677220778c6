import VigilStorage

/// Checks the description of the schema, and that statements follow its changes.
enum SchemaChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "tablesAreDescribed",
            promise: "The metadata of a table contains its columns and its primary key.",
            tablesAreDescribed),
        .init(
            "tablesAreFoundInAnyCase", promise: "Tables are found regardless of the case of the name.",
            tablesAreFoundInAnyCase),
        .init(
            "tablesAreListed", promise: "All tables are listed, each once, and nothing else.", tablesAreListed
        ),
        .init(
            "missingTableIsNil", promise: "The metadata of a table that does not exist is nil.",
            missingTableIsNil),
        .init(
            "schemaChangesAreSeen",
            promise: "A connection sees the tables that another one creates, changes or drops.",
            schemaChangesAreSeen),
        .init(
            "statementsFollowTheSchema",
            promise: "A statement that was compiled before the schema changed runs on the current schema.",
            statementsFollowTheSchema),
    ]

    private static func tablesAreDescribed(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let table = try expectValue(try connection.storage.table("player", in: nil), "the table")
        try expectEqual(table.name, ContractConnection.player, "its name")
        try expectEqual(table.kind, .table, "its kind")
        try expectEqual(table.columns.map(\.name), ["id", "name", "score"], "its columns")
        let integer = connection.dialect.type("INTEGER")
        try expectEqual(
            table.columns.map { $0.type.uppercased() }, [integer, "TEXT", integer], "their types")
        try expectEqual(table.columns.map(\.primaryKeyIndex), [1, 0, 0], "the primary key")
        try expectEqual(
            table.columns.dropFirst().map(\.isNotNull), [true, false], "whether they are NOT NULL")
        try connection.execute(
            "CREATE TABLE note(code VARCHAR(20) PRIMARY KEY, text \(connection.hasUntypedColumns ? "" : "TEXT"))"
        )
        let note = try expectValue(try connection.storage.table("note", in: "main"), "the second table")
        try expectEqual(note.columns.map(\.primaryKeyIndex), [1, 0], "its primary key")
        if connection.hasUntypedColumns {
            try expectEqual(note.columns.map(\.type), ["VARCHAR(20)", ""], "its types")
        }
        try expectEqual(note.rowIDColumn, nil, "its row id column")
        if table.hasRowID { try expectEqual(table.rowIDColumn, "id", "the row id column of the first table") }
    }

    private static func tablesAreFoundInAnyCase(_ fixture: ContractFixture) throws {
        let connection = try fixture.open(fixture.location())
        try connection.execute("CREATE TABLE \"Team Mate\"(\"Id\" INTEGER PRIMARY KEY)")
        for (name, schema) in [("team mate", nil), ("TEAM MATE", "main"), ("Team Mate", "MAIN")] {
            let table = try connection.storage.table(name, in: schema)
            try expectEqual(table?.name.name, "Team Mate", "the schema's spelling of \(name)")
            try expectEqual(table?.columns.map(\.name), ["Id"], "the columns of \(name)")
        }
    }

    private static func tablesAreListed(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        try connection.execute("CREATE TABLE \"Note\"(code TEXT)")
        let location = fixture.location()
        /// A server has other schemas.
        func tables() throws -> [TableName] {
            try connection.storage.tables().filter { !location.isServer || $0.schema == "main" }
        }
        try expectEqual(try tables().map(\.name).sorted(), ["Note", "player"], "the tables")
        try expectEqual(Set(try tables().map(\.schema)), ["main"], "their schemas")
        try connection.execute("DROP TABLE \"Note\"")
        try expectEqual(
            try tables(), [ContractConnection.player], "the remaining table")
    }

    private static func missingTableIsNil(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for (name, schema) in [("missing", nil), ("missing", "main"), ("player", "elsewhere"), ("", nil)] {
            let table = try connection.storage.table(name, in: schema)
            try expectEqual(table?.name, nil, "the table \"\(name)\" in \(schema ?? "any schema")")
        }
    }

    private static func schemaChangesAreSeen(_ fixture: ContractFixture) throws {
        let (a, b) = try fixture.pair()
        try expectEqual(try b.storage.table("other", in: nil)?.name, nil, "the table before CREATE TABLE")
        for columns in [["x"], ["x", "y"]] {
            try a.execute("CREATE TABLE other(\(columns.map { "\($0) INTEGER" }.joined(separator: ", ")))")
            let table = try b.storage.table("other", in: nil)
            try expectEqual(table?.columns.map(\.name), columns, "the columns after CREATE TABLE")
            try a.execute("DROP TABLE other")
            let dropped = try b.storage.table("other", in: nil)
            try expectEqual(dropped?.name, nil, "the table after DROP TABLE")
        }
    }

    private static func statementsFollowTheSchema(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        try connection.withStatement("SELECT score FROM player") { statement in
            try expectEqual(try statement.allRows(), [[.integer(10)]], "the rows of the first table")
            statement.reset()
            try connection.execute("DROP TABLE player")
            try expectError(.error, "reading a dropped table") { _ = try statement.step() }
            statement.reset()
            try connection.execute(
                "CREATE TABLE player(score TEXT, id INTEGER); INSERT INTO player VALUES ('a', 2)")
            try expectEqual(try statement.allRows(), [[.text("a")]], "the rows of the second table")
        }
    }
}
