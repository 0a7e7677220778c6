// Patterns, and the sample of the article *Expressions*, which a tidy test compares with this file.

import Vigil
import XCTest

private struct Document: Codable, TableRecord, FetchableRecord {
    var title: String
    var body: String

    enum Columns {
        static let title = Column("title")
        static let body = Column("body")
    }
}

final class FullTextSearchTests: XCTestCase {
    private let rows = [
        ("Observation", "Changes of a database are observed"),
        ("Database", "A file with tables"),
        ("Über Änderungen", "Die Datenbank meldet Änderungen"),
        ("Notes", "observation OR database, near the file"),
    ]

    /// Returns a database with a full-text table, or skips the test if the library lacks the module.
    private func makeDatabase(_ configuration: Configuration, _ module: String) throws -> DatabaseQueue? {
        let dbQueue = try DatabaseQueue(configuration: configuration)
        return try dbQueue.write { db in
            do {
                try db.execute(sql: "CREATE VIRTUAL TABLE document USING \(module)(title, body)")
            } catch let error as DatabaseError
                where error.message?.hasPrefix("no such module: \(module)") == true
            {
                return nil
            }
            for (title, body) in rows {
                try db.execute(
                    sql: "INSERT INTO document (title, body) VALUES (?, ?)", arguments: [title, body])
            }
            return dbQueue
        }
    }

    private func onEachTable(_ modules: [String], _ body: (Database) throws -> Void) throws {
        var count = 0
        try withEachBackend { configuration in
            for module in modules {
                guard let dbQueue = try makeDatabase(configuration, module) else { continue }
                count += 1
                try dbQueue.read(body)
            }
        }
        if count == 0 { throw XCTSkip("no library has \(modules)") }
    }

    private func titles(_ db: Database, _ request: QueryInterfaceRequest<Document>) throws -> [String] {
        try request.order(Column.rowID).fetchAll(db).map(\.title)
    }

    // MARK: - FTS3 and FTS4

    func testFTS3PatternsOfTextMatchItsTokens() throws {
        try onEachTable(["fts3", "fts4"]) { db in
            let all = Document.matching(FTS3Pattern(matchingAllTokensIn: "DATABASE, changes!"))
            XCTAssertEqual(try titles(db, all), ["Observation"])
            let any = Document.matching(FTS3Pattern(matchingAnyTokenIn: "tables notes"))
            XCTAssertEqual(try titles(db, any), ["Database", "Notes"])
            for text in ["tables –", "– tables"] {
                let dashed = Document.matching(FTS3Pattern(matchingAnyTokenIn: text))
                XCTAssertEqual(try titles(db, dashed), ["Database"], text)
            }
            let prefixes = Document.matching(FTS3Pattern(matchingAllPrefixesIn: "obs data"))
            XCTAssertEqual(try titles(db, prefixes), ["Observation", "Notes"])
            let phrase = Document.matching(FTS3Pattern(matchingPhrase: "a file"))
            XCTAssertEqual(try titles(db, phrase), ["Database"])
            // Operators are tokens like others.
            let operators = Document.matching(FTS3Pattern(matchingAllTokensIn: "observation OR NEAR"))
            XCTAssertEqual(try titles(db, operators), ["Notes"])
            let letters = Document.matching(FTS3Pattern(matchingAllTokensIn: "Änderungen meldet"))
            XCTAssertEqual(try titles(db, letters), ["Über Änderungen"])
        }
    }

    func testFTS3PatternsMatchTablesAndColumns() throws {
        try onEachTable(["fts3", "fts4"]) { db in
            let pattern = try FTS3Pattern(rawPattern: "database")
            XCTAssertEqual(
                try titles(db, Document.all().matching(pattern)), ["Observation", "Database", "Notes"])
            XCTAssertEqual(try titles(db, Document.filter { $0.title.match(pattern) }), ["Database"])
            XCTAssertEqual(
                try titles(db, Document.filter(Column("body").match(pattern))), ["Observation", "Notes"])
            XCTAssertEqual(try titles(db, Document.filter(Column("body").match(nil))), [])
            XCTAssertEqual(try titles(db, Document.matching(nil as FTS3Pattern?)), [])
            let row = try XCTUnwrap(Table("document").all().matching(pattern).fetchOne(db))
            XCTAssertEqual(row["title"], "Observation")
            XCTAssertEqual(try Document.matching(pattern).fetchCount(db), 3)
        }
    }

    func testPatternsMatchAliasedTables() throws {
        try onEachTable(["fts3", "fts4", "fts5"]) { db in
            let alias = TableAlias(name: "d", for: Document.self)
            let request = Document.aliased(alias).matching(FTS3Pattern(matchingPhrase: "tables"))
            XCTAssertEqual(try titles(db, request), ["Database"])
        }
    }

    func testOnlyWordsThatATokenizerMayDropHaveQuotes() {
        let patterns = [
            FTS3Pattern(matchingAnyTokenIn: "Écarlates!"), FTS3Pattern(matchingAllTokensIn: "écarlates"),
            FTS3Pattern(matchingAllPrefixesIn: "écarlates"), FTS3Pattern(matchingPhrase: "écarlates"),
            FTS3Pattern(matchingAnyTokenIn: "les écarlates"),
            FTS3Pattern(matchingAnyTokenIn: " \tYears \n2024 OR"),
        ]
        XCTAssertEqual(
            patterns.map { $0?.rawPattern },
            [
                "Écarlates", "écarlates", "écarlates*", "\"écarlates\"", "les OR \"écarlates\"",
                "years OR 2024 OR or",
            ])
    }

    func testInvalidFTS3PatternsThrow() throws {
        XCTAssertNil(FTS3Pattern(matchingAllTokensIn: "?! ()"))
        XCTAssertNil(FTS3Pattern(matchingAnyTokenIn: ""))
        XCTAssertNil(FTS3Pattern(matchingAllPrefixesIn: " "))
        XCTAssertNil(FTS3Pattern(matchingPhrase: "\u{0}-"))
        XCTAssertThrowsError(try FTS3Pattern(rawPattern: "\"database")) { error in
            let error = error as? DatabaseError
            XCTAssertEqual(error?.resultCode, .SQLITE_ERROR)
            XCTAssertEqual(error?.message, "malformed MATCH expression: [\"database]")
            XCTAssertNil(error?.sql)
        }
    }

    func testFTS3PatternsAreValues() throws {
        let pattern = try FTS3Pattern(rawPattern: "data*")
        XCTAssertEqual(pattern.databaseValue, "data*".databaseValue)
        XCTAssertEqual(FTS3Pattern.fromDatabaseValue("data*".databaseValue)?.rawPattern, "data*")
        XCTAssertNil(FTS3Pattern.fromDatabaseValue("\"".databaseValue))
        XCTAssertNil(FTS3Pattern.fromDatabaseValue(.null))
        try onEachTable(["fts4"]) { db in
            let request: SQLRequest<String> = "SELECT title FROM document WHERE document MATCH \(pattern)"
            XCTAssertEqual(Set(try request.fetchAll(db)), ["Observation", "Database", "Notes"])
        }
    }

    // MARK: - FTS5

    func testFTS5PatternsOfTextMatchItsTokens() throws {
        try onEachTable(["fts5"]) { db in
            let all = Document.matching(FTS5Pattern(matchingAllTokensIn: "DATABASE, changes!"))
            XCTAssertEqual(try titles(db, all), ["Observation"])
            let any = Document.matching(FTS5Pattern(matchingAnyTokenIn: "tables notes"))
            XCTAssertEqual(try titles(db, any), ["Database", "Notes"])
            let prefixes = Document.matching(FTS5Pattern(matchingAllPrefixesIn: "obs data"))
            XCTAssertEqual(try titles(db, prefixes), ["Observation", "Notes"])
            let pattern = FTS5Pattern(matchingAllPrefixesIn: "obs data")
            let documents = try Document.matching(pattern).order(Column.rank).fetchAll(db)
            XCTAssertEqual(Set(documents.map(\.title)), ["Observation", "Notes"])
            let phrase = Document.matching(FTS5Pattern(matchingPhrase: "a file"))
            XCTAssertEqual(try titles(db, phrase), ["Database"])
            let beginning = Document.matching(FTS5Pattern(matchingPrefixPhrase: "observation"))
            XCTAssertEqual(try titles(db, beginning), ["Observation", "Notes"])
            let operators = Document.matching(FTS5Pattern(matchingAllTokensIn: "observation OR NEAR"))
            XCTAssertEqual(try titles(db, operators), ["Notes"])
            let letters = Document.matching(FTS5Pattern(matchingAllTokensIn: "Änderungen"))
            XCTAssertEqual(try titles(db, letters), ["Über Änderungen"])
        }
    }

    /// Patterns that belong to no connection are checked by the library of the default backend.
    private func skipUnlessDefaultLibraryHasFTS5() throws {
        let hasFTS5 = try makeDatabase(Configuration(), "fts5") != nil
        try XCTSkipUnless(hasFTS5, "the library of the default backend is built without FTS5")
    }

    func testFTS5PatternsMatchTablesAndColumns() throws {
        try skipUnlessDefaultLibraryHasFTS5()
        try onEachTable(["fts5"]) { db in
            let pattern = try FTS5Pattern(rawPattern: "database")
            XCTAssertEqual(
                try titles(db, Document.all().matching(pattern)), ["Observation", "Database", "Notes"])
            XCTAssertEqual(try titles(db, Document.filter { $0.title.match(pattern) }), ["Database"])
            XCTAssertEqual(try titles(db, Document.matching(nil as FTS5Pattern?)), [])
            XCTAssertEqual(
                try Document.matching(pattern).order(Column.rank).fetchOne(db)?.title, "Database")
            let titled = try db.makeFTS5Pattern(rawPattern: "title: database", forTable: "document")
            XCTAssertEqual(try titles(db, Document.matching(titled)), ["Database"])
        }
    }

    func testInvalidFTS5PatternsThrow() throws {
        try skipUnlessDefaultLibraryHasFTS5()
        try onEachTable(["fts5"]) { db in
            XCTAssertNil(FTS5Pattern(matchingAllTokensIn: "?! ()"))
            XCTAssertNil(FTS5Pattern(matchingPrefixPhrase: ""))
            XCTAssertThrowsError(try FTS5Pattern(rawPattern: "AND")) { error in
                let error = error as? DatabaseError
                XCTAssertEqual(error?.message, "fts5: syntax error near \"AND\"")
                XCTAssertNil(error?.sql)
            }
            XCTAssertThrowsError(try FTS5Pattern(rawPattern: "title: database")) { error in
                XCTAssertEqual((error as? DatabaseError)?.message, "no such column: title")
            }
            XCTAssertThrowsError(try db.makeFTS5Pattern(rawPattern: "author: ada", forTable: "document"))
            XCTAssertThrowsError(try db.makeFTS5Pattern(rawPattern: "ada", forTable: "missing"))
            XCTAssertEqual(
                try FTS5Pattern(rawPattern: "t: ada", allowedColumns: ["t", "vigil pattern"]).rawPattern,
                "t: ada")
            XCTAssertNil(FTS5Pattern.fromDatabaseValue("(".databaseValue))
        }
    }

    func testRequestsWithPatternsAreObserved() throws {
        for module in ["fts4", "fts5"] {
            try withEachBackend { configuration in
                guard let dbQueue = try makeDatabase(configuration, module) else { return }
                let request = Document.matching(FTS3Pattern(matchingPhrase: "tables"))
                let (counts, cancellable) = record(ValueObservation.tracking(request.fetchCount), in: dbQueue)
                defer { cancellable.cancel() }
                XCTAssertEqual(counts.wait(count: 1), [1], module)
                try dbQueue.write { db in
                    try db.execute(sql: "INSERT INTO document (title, body) VALUES ('More', 'tables')")
                }
                XCTAssertEqual(counts.wait(count: 2), [1, 2], module)
            }
        }
    }
}
