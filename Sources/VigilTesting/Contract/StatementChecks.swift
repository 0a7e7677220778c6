import VigilStorage

enum StatementChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "columnsHaveNames", promise: "The names of a statement's columns are known before it runs.",
            columnsHaveNames
        ),
        .init(
            "parametersAreCounted", promise: "Parameters are counted, and have indexes and names.",
            parametersAreCounted),
        .init(
            "parameterIndexIsChecked", promise: "Binding a parameter that does not exist is a range error.",
            parameterIndexIsChecked),
        .init(
            "statementsAreCompiledOneByOne",
            promise: "Several statements in one text are compiled one by one.",
            statementsAreCompiledOneByOne),
        .init(
            "blankTextCompilesToNothing", promise: "White space and comments compile to no statement.",
            blankTextCompilesToNothing),
        .init(
            "nullCharactersAreRefused",
            promise: "SQL with a NUL character is an error: nothing of it is compiled.",
            nullCharactersAreRefused),
        .init(
            "statementRunsAgain",
            promise: "After reset(), a statement runs again from its beginning, with its bindings.",
            statementRunsAgain),
        .init(
            "statementRunsAgainAfterItsEnd",
            promise: "After the end of a run, the next step begins another one.",
            statementRunsAgainAfterItsEnd),
        .init(
            "definitionsAreNotReusable",
            promise: "A statement that changes the schema does not claim to be reusable.",
            definitionsAreNotReusable),
        .init("bindingsCanBeShown", promise: "expandedSQL contains the bound values.", bindingsCanBeShown),
        .init(
            "changesAreCounted",
            promise: "The numbers of changed rows and the last inserted key are correct.",
            changesAreCounted),
    ]

    private static func columnsHaveNames(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for (sql, names) in [
            ("SELECT name, id FROM player", ["name", "id"]),
            ("SELECT * FROM player", ["id", "name", "score"]),
            ("DELETE FROM player", []), ("BEGIN", []),
        ] {
            try connection.withStatement(sql) {
                try expectEqual($0.columnNames, names, "the columns of \(sql)")
                try expectEqual($0.row.count, names.count, "the cells of \(sql)")
            }
        }
    }

    private static func parametersAreCounted(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 2)
        try connection.withStatement("SELECT id FROM player WHERE id > ? AND name = ?") {
            try expectEqual($0.parameterCount, 2, "the number of ?")
            try expectEqual($0.parameterName(at: 1), nil, "the name of ?")
        }
        try connection.withStatement("SELECT id FROM player WHERE name = ?2 AND id > ?1") {
            try expectEqual($0.parameterCount, 2, "the number of ?2 and ?1")
            try $0.bind([.integer(0), .text("p2")])
            try expectEqual(try $0.allRows(), [[.integer(2)]], "the rows for ?2 = p2")
        }
        let sql = "SELECT id FROM player WHERE name = :name AND id > :low AND id < :high AND name >= :name"
        try connection.withStatement(sql) {
            try expectEqual($0.parameterCount, 3, "the number of different names")
            let names = [1, 2, 3].map { [statement = $0] in statement.parameterName(at: $0) }
            try expectEqual(names, [":name", ":low", ":high"], "the names of the parameters")
            try $0.bind([.text("p1"), .integer(0), .integer(9)])
            try expectEqual(try $0.allRows(), [[.integer(1)]], "the rows for :name = p1")
        }
    }

    private static func parameterIndexIsChecked(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        try connection.withStatement("SELECT id FROM player WHERE id = ?") { statement in
            for index in [0, 2, -1] {
                try expectError(.range, "binding parameter \(index) of 1") {
                    try statement.bind(.integer(1), at: index)
                }
            }
            try expectEqual(statement.parameterName(at: 2), nil, "the name of parameter 2 of 1")
        }
    }

    private static func statementsAreCompiledOneByOne(_ fixture: ContractFixture) throws {
        let connection = try fixture.open(fixture.location())
        let sql = """
            CREATE TABLE thing(value TEXT); -- dé; 'rien
            INSERT INTO thing VALUES ('é;1') /* ; */ ;
              INSERT INTO thing VALUES ('2');
            -- the end
            """
        var texts: [String] = []
        var offset = 0
        while offset < sql.utf8.count {
            let preparation = try connection.storage.prepare(sql, fromUTF8Offset: offset, isCached: false)
            guard let statement = preparation.statement else { break }
            defer { statement.finalize() }
            texts.append(statement.sql)
            try expectTrue(
                preparation.endUTF8Offset > offset, "the end of a statement follows its beginning")
            while try statement.step() {}
            offset = preparation.endUTF8Offset
        }
        try expectEqual(texts.count, 3, "the number of statements")
        try expectTrue(
            texts[1].contains("'é;1'") && !texts[1].contains("CREATE") && !texts[1].contains("'2'"),
            "the text of the second statement contains only this statement")
        try expectEqual(
            try connection.rows("SELECT value FROM thing"), [[.text("é;1")], [.text("2")]], "the rows")
    }

    private static func blankTextCompilesToNothing(_ fixture: ContractFixture) throws {
        let connection = try fixture.open(fixture.location())
        for sql in ["", "  \n\t", "-- é", "/* a; b */ ", " -- a\n /* b */"] {
            let preparation = try connection.storage.prepare(sql, fromUTF8Offset: 0, isCached: false)
            defer { preparation.statement?.finalize() }
            try expectTrue(preparation.statement == nil, "no statement in \"\(sql)\"")
            try expectTrue(
                preparation.endUTF8Offset <= sql.utf8.count, "the end is not beyond that of \"\(sql)\"")
        }
    }

    private static func nullCharactersAreRefused(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for sql in [
            "SELECT id FROM player\0", "SELECT id FROM player; \0SELECT name FROM player",
            "SELECT id FROM player WHERE name = 'a\0b'",
        ] {
            try expectError(.error, "compiling SQL with a NUL character") {
                let preparation = try connection.storage.prepare(sql, fromUTF8Offset: 0, isCached: false)
                preparation.statement?.finalize()
            }
        }
    }

    private static func statementRunsAgain(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 3)
        try connection.withStatement("SELECT id FROM player WHERE id >= ? ORDER BY id") { statement in
            try statement.bind([.integer(1)])
            try expectTrue(try statement.step(), "a first row")
            statement.reset()
            try expectEqual(
                try statement.allRows(), [[.integer(1)], [.integer(2)], [.integer(3)]], "rows after reset")
            statement.reset()
            try statement.bind([.integer(3)])
            try expectEqual(try statement.allRows(), [[.integer(3)]], "rows after binding again")
        }
    }

    private static func definitionsAreNotReusable(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for sql in ["CREATE TABLE thing(value TEXT)", "DROP TABLE player"] {
            try connection.withStatement(sql) {
                try expectEqual($0.isReusable, false, "whether \(sql) is reusable")
            }
        }
    }

    private static func statementRunsAgainAfterItsEnd(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        try connection.withStatement("SELECT id FROM player") { statement in
            for run in 1...2 {
                try expectEqual(try statement.allRows(), [[.integer(1)]], "the rows of run \(run)")
            }
        }
    }

    private static func bindingsCanBeShown(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        try connection.withStatement("SELECT id FROM player WHERE id > ? AND name = :name") { statement in
            try statement.bind([.integer(42), .text("it's")])
            let text = statement.expandedSQL
            try expect(
                text.contains("id > 42") && text.contains("name = 'it''s'"), "the expanded text",
                expected: "a text with the bound values", actual: text)
        }
    }

    private static func changesAreCounted(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let storage = connection.storage
        func expectCount(_ sql: String, _ count: Int) throws {
            let total = storage.totalChangesCount
            try connection.execute(sql)
            try expectEqual(storage.changesCount, count, "changesCount after \(sql)")
            try expectEqual(
                storage.totalChangesCount - total, count, "the increase of totalChangesCount after \(sql)")
        }
        try expectCount("INSERT INTO player VALUES (7, 'a', 1), (8, 'b', 2), (9, 'c', 3)", 3)
        let hasRowIDs = !connection.dialect.rowIDColumns.isEmpty
        if hasRowIDs { try expectEqual(storage.lastInsertedRowID, 9, "lastInsertedRowID") }
        try expectCount("INSERT INTO player(name) VALUES ('d')", 1)
        if hasRowIDs {
            try expectEqual(storage.lastInsertedRowID, 10, "lastInsertedRowID of a generated key")
        }
        try expectCount("UPDATE player SET score = 0 WHERE id >= 7 AND id <= 8", 2)
        try expectCount("UPDATE player SET score = 0 WHERE id = 100", 0)
        try expectCount("DELETE FROM player WHERE id = 7", 1)
        try expectCount("DELETE FROM player", 3)
        _ = try connection.playerIDs()
        try expectEqual(storage.changesCount, 3, "changesCount after a SELECT")
    }
}
