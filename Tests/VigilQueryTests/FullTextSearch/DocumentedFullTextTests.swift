// The samples of the article *Full-text search*, which a tidy test compares with this file.

import Vigil
import XCTest

private struct Document: Codable, TableRecord, FetchableRecord {
    var title: String
    var body: String
}

private struct Note: Codable, TableRecord, FetchableRecord {
    var id: Int64
    var title: String
}

final class StopWordsTokenizer: FTS5WrapperTokenizer {
    static let name = "stopWords"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if !["a", "an", "the"].contains(token) { try tokenCallback(token, flags) }
    }
}

final class DocumentedFullTextTests: XCTestCase {
    /// Returns a database with the tables of the article, or skips the test if the default library has no
    /// FTS5.
    private func makeDatabase(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue(configuration: configuration)
        let isPresent = try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, title, body)")
            try db.execute(sql: "INSERT INTO note VALUES (5, 'Observation', 'A database is observed')")
            return try FullTextModule.fts5.ifPresent {
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.tokenizer = .unicode61()
                    t.column("title")
                    t.column("body")
                    t.column("author").notIndexed()
                }
                try db.create(virtualTable: "noteIndex", using: FTS5()) { t in
                    t.synchronize(withTable: "note")
                    t.column("title")
                    t.column("body")
                }
            }
        }
        guard isPresent else { throw XCTSkip("the library has no FTS5") }
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO document VALUES ('Observation', 'A database is observed', 'Ada'),
                    ('Observers of swift', 'Nothing', 'Observation')
                    """)
        }
        return dbQueue
    }

    func testSearches() throws {
        try makeDatabase().write { db in
            let all = FTS5Pattern(matchingAllTokensIn: "observed database")
            let any = FTS5Pattern(matchingAnyTokenIn: "observed database")
            let prefixes = FTS5Pattern(matchingAllPrefixesIn: "obs data")
            let phrase = FTS5Pattern(matchingPhrase: "a database is observed")
            let beginning = FTS5Pattern(matchingPrefixPhrase: "a database")
            for pattern in [all, any, prefixes, phrase, beginning] {
                XCTAssertEqual(try Document.matching(pattern).fetchCount(db), 1)
            }
            let text = "obser: (swi"
            let documents = try Document.matching(FTS5Pattern(matchingAllPrefixesIn: text)).fetchAll(db)
            XCTAssertEqual(documents.map(\.title), ["Observers of swift"])
            let pattern = try db.makeFTS5Pattern(rawPattern: "title: observ* NOT swift", forTable: "document")
            let titled = Document.filter(Column("title").match(pattern))
            XCTAssertEqual(try titled.fetchAll(db).map(\.title), ["Observation"])
            let ids = Table("noteIndex").all().matching(prefixes).select(Column.rowID)
            let notes = try Note.filter(ids.contains(Column("id"))).fetchAll(db)
            XCTAssertEqual(notes.map(\.id), [5])
            let lines = try Document.matching(prefixes)
                .order(FTS5.bm25(weights: [10, 1]))
                .select(
                    [
                        FTS5.highlight(Column("title"), from: "<b>", to: "</b>").forKey("title"),
                        FTS5.snippet(Column("body"), from: "<b>", to: "</b>").forKey("part"),
                    ], as: Row.self
                )
                .fetchAll(db)
            XCTAssertEqual(
                lines,
                [["title": "<b>Observation</b>", "part": "A <b>database</b> is <b>observed</b>"]])
            try db.create(virtualTable: "area", using: "rtree(id, minX, maxX, minY, maxY)")
        }
    }

    func testTokenizers() throws {
        _ = try makeDatabase()
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.add(tokenizer: StopWordsTokenizer.self) }
        try makeDatabase(configuration).write { db in
            try db.create(virtualTable: "story", using: FTS5()) { t in
                t.tokenizer = StopWordsTokenizer.tokenizerDescriptor()
                t.column("text")
            }
            try db.execute(sql: "INSERT INTO story VALUES ('once upon a time')")
            let phrase = FTS5Pattern(matchingPhrase: "upon the time")
            XCTAssertEqual(try Table("story").all().matching(phrase).fetchCount(db), 1)
        }
    }

    func testObservedSearches() throws {
        let dbQueue = try makeDatabase()
        let prefixes = FTS5Pattern(matchingAllPrefixesIn: "obs data")
        let observation = ValueObservation.tracking(Document.matching(prefixes).fetchAll)
        let (values, cancellable) = record(observation.map(\.count), in: dbQueue)
        defer { cancellable.cancel() }
        XCTAssertEqual(values.wait(count: 1), [1])
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO document(title, body) VALUES ('Observed', 'Databases')")
        }
        XCTAssertEqual(values.wait(count: 2), [1, 2])
    }
}
