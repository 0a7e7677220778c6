import Vigil
import XCTest

/// The SQL of full-text tables, and the tables that it creates.
final class FullTextTableTests: QueryInterfaceTestCase {
    /// Checks the SQL that creates a table, on each backend that has the module.
    private func assertCreates<Module: VirtualTableModule>(
        _ sql: String, _ module: Module, options: VirtualTableOptions = [], line: UInt = #line,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                var run: [String] = []
                db.trace { run.append($0.expandedDescription) }
                try FullTextModule.fts5.ifPresent {
                    try db.create(virtualTable: "document", options: options, using: module, body)
                }
                db.trace()
                let creation = run.first { $0.hasPrefix("CREATE") }
                XCTAssertEqual(creation, "CREATE VIRTUAL TABLE \(sql)", line: line)
            }
        }
    }

    func testFTS3TablesAreCreated() throws {
        try assertCreates("\"document\" USING fts3", FTS3())
        try assertCreates("IF NOT EXISTS \"document\" USING fts3", FTS3(), options: .ifNotExists)
        try assertCreates("temp.\"document\" USING fts3", FTS3(), options: .temporary)
        try assertCreates("\"document\" USING fts3(a, \"b c\", \"d=\", tokenize=porter)", FTS3()) { t in
            t.tokenizer = .porter
            for name in ["a", "b c", "d="] { t.column(name) }
        }
    }

    func testFTS4TablesAreCreated() throws {
        try assertCreates("\"document\" USING fts4", FTS4())
        try assertCreates(
            "\"document\" USING fts4(title, order, notindexed=order, \"über \"\"alles\"\"\", "
                + "notindexed=\"über \"\"alles\"\"\", languageid=\"lid\", content=\"\", matchinfo=\"fts3\", "
                + "prefix=\"2,4\")", FTS4()
        ) { t in
            t.column("title")
            t.column("order").notIndexed()
            t.column("über \"alles\"").notIndexed()
            t.column("lid").asLanguageId()
            t.content = ""
            t.matchinfo = "fts3"
            t.prefixes = [4, 2]
        }
        try assertCreates(
            "\"document\" USING fts4(tokenize=unicode61 \"remove_diacritics=0\" \"separators=X\" "
                + "\"tokenchars=\"\"-.\")", FTS4()
        ) { t in
            t.tokenizer = .unicode61(diacritics: .keep, separators: ["X"], tokenCharacters: Set(".-\""))
        }
    }

    func testFTS5TablesAreCreated() throws {
        try assertCreates("\"document\" USING fts5(title, \"the body\" UNINDEXED)", FTS5()) { t in
            t.column("title")
            t.column("the body").notIndexed()
        }
        try assertCreates(
            "\"document\" USING fts5(title, tokenize='''unicode61'' ''separators'' ''\"X'' ''tokenchars'' ''-''', "
                + "content='', prefix='2 3', columnSize=0, detail=column)", FTS5()
        ) { t in
            t.tokenizer = .unicode61(separators: ["X", "\""], tokenCharacters: ["-"])
            t.column("title")
            t.content = ""
            t.prefixes = [2, 3]
            t.columnSize = 0
            t.detail = "column"
        }
        try assertCreates(
            "\"document\" USING fts5(title, tokenize='''porter'' ''ascii''', content='the notes', "
                + "content_rowid='key')", FTS5()
        ) { t in
            t.tokenizer = .porter(wrapping: .ascii())
            t.column("title")
            t.content = "the notes"
            t.contentRowID = "key"
        }
    }

    func testColumnsHaveTheNamesOfTheDefinition() throws {
        let names = ["title", "order", "a b", "über", "\"quoted\"", "it's", "1st", "tokenize"]
        for module in FullTextModule.allCases {
            try onEachQueue { dbQueue in
                try dbQueue.write { db in
                    let isPresent = try module.ifPresent {
                        switch module {
                        case .fts4:
                            try db.create(virtualTable: "a \"table\"", using: FTS4()) { t in
                                for name in names { t.column(name) }
                            }
                        case .fts5:
                            try db.create(virtualTable: "a \"table\"", using: FTS5()) { t in
                                for name in names { t.column(name) }
                            }
                        }
                    }
                    guard isPresent else { return }
                    XCTAssertEqual(try db.columns(in: "a \"table\"").map(\.name), names)
                    try db.execute(
                        literal: "INSERT INTO \(sql: "\"a \"\"table\"\"\"") (\"a b\") VALUES ('ada')")
                    let table = Table("a \"table\"")
                    let pattern = FTS3Pattern(matchingAllTokensIn: "ada")
                    XCTAssertEqual(try table.all().matching(pattern).fetchCount(db), 1)
                    XCTAssertEqual(try table.filter(Column("a b").match(pattern)).fetchCount(db), 1)
                    XCTAssertEqual(try table.filter(Column("order").match(pattern)).fetchCount(db), 0)
                }
            }
        }
    }

    func testContradictoryDefinitionsThrow() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try IndexedNote.createTable(db)
                try db.execute(
                    sql: "CREATE TABLE pair(a PRIMARY KEY) WITHOUT ROWID; CREATE VIEW v AS SELECT 1")
                assertError(
                    .SQLITE_MISUSE, "an FTS4 table cannot have the column a=b: choose a name without ="
                ) {
                    try db.create(virtualTable: "t", using: FTS4()) { t in t.column("a=b") }
                }
                assertError(
                    .SQLITE_MISUSE, "an FTS5 table needs at least one column: add one with column(_:)"
                ) {
                    try db.create(virtualTable: "t", using: FTS5())
                }
                assertError(
                    .SQLITE_MISUSE,
                    "a temporary FTS4 table cannot be synchronized with table note: "
                        + "create it without the option temporary"
                ) {
                    try db.create(virtualTable: "t", options: .temporary, using: FTS4()) { t in
                        t.synchronize(withTable: "note")
                    }
                }
                for content in ["pair", "v"] {
                    XCTAssertThrowsError(
                        try db.create(virtualTable: "t", using: FTS4()) { t in
                            t.synchronize(withTable: content)
                            t.column("a")
                        }, content)
                }
                XCTAssertThrowsError(
                    try db.create(virtualTable: "t", using: FTS4()) { t in
                        t.synchronize(withTable: "missing")
                    })
                XCTAssertFalse(try db.tableExists("t"))
            }
        }
    }

    func testALibraryWithoutFTS5IsNamed() throws {
        var count = 0
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                do {
                    try db.create(virtualTable: "t", using: FTS5()) { t in t.column("a") }
                } catch {
                    count += 1
                    let message = try XCTUnwrap((error as? DatabaseError)?.message)
                    XCTAssertTrue(message.hasPrefix("no such module: fts5; the library SQL"), message)
                    XCTAssertTrue(
                        message.hasSuffix("is built without FTS5: use FTS4, or a library with FTS5"))
                    XCTAssertTrue(message.contains(sqliteVersion(db)), message)
                }
                assertErrorMessage(ofModule: "missing", db)
            }
        }
        if count == 0 { throw XCTSkip("all libraries have FTS5") }
    }

    private func sqliteVersion(_ db: Database) -> String {
        (try? String.fetchOne(db, sql: "SELECT sqlite_version()")) ?? "?"
    }

    private func assertErrorMessage(ofModule module: String, _ db: Database) {
        XCTAssertThrowsError(try db.create(virtualTable: "other", using: module)) { error in
            let message = (error as? DatabaseError)?.message
            XCTAssertTrue(message?.hasPrefix("no such module: missing; the library SQL") == true, "\(error)")
            XCTAssertTrue(message?.hasSuffix("is built without this module") == true, "\(error)")
        }
    }

    // MARK: - Other modules

    func testModulesWithPlainArgumentsAreCreated() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                let run = try statements(db) {
                    try db.create(
                        virtualTable: "an area", options: .ifNotExists,
                        using: "rtree(id, minX, maxX, minY, maxY)")
                }
                XCTAssertEqual(
                    run.first,
                    "CREATE VIRTUAL TABLE IF NOT EXISTS \"an area\" USING rtree(id, minX, maxX, minY, maxY)")
                try db.execute(sql: "INSERT INTO \"an area\" VALUES (1, 0, 2, 0, 2), (2, 5, 6, 5, 6)")
                let request = Table("an area").filter(Column("minX") <= 1 && Column("maxX") >= 1)
                XCTAssertEqual(try request.select(Column("id"), as: Int.self).fetchAll(db), [1])
                try db.create(virtualTable: "words", ifNotExists: true, using: "fts4")
            }
        }
    }

    private struct Tokens: VirtualTableModule {
        final class Definition { var tokenizer = "" }
        struct Failure: Error {}

        var fails = false
        let moduleName = "fts3tokenize"

        func makeTableDefinition(configuration: VirtualTableConfiguration) -> Definition { Definition() }
        func moduleArguments(for definition: Definition, in db: Database) -> [String] {
            [definition.tokenizer]
        }
        func database(_ db: Database, didCreate tableName: String, using definition: Definition) throws {
            if fails { throw Failure() }
        }
    }

    func testModulesOfTheProgramCreateTables() throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                XCTAssertThrowsError(
                    try db.create(virtualTable: "words", using: Tokens(fails: true)) { t in
                        t.tokenizer = "porter"
                    })
                XCTAssertFalse(try db.tableExists("words"))
                try db.create(virtualTable: "words", using: Tokens()) { t in t.tokenizer = "porter" }
                XCTAssertEqual(
                    try String.fetchAll(db, sql: "SELECT token FROM words WHERE input = 'observed tables'"),
                    ["observ", "tabl"])
            }
        }
    }
}
