import Foundation
import Vigil
import XCTest

/// A tokenizer that drops words, and adds synonyms to documents.
private final class Words: FTS5WrapperTokenizer {
    static let name = "words"
    let wrappedTokenizer: any FTS5Tokenizer
    let dropped: Set<String>

    init(db: Database, arguments: [String]) throws {
        if arguments == ["invalid"] {
            throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "an invalid argument")
        }
        // A tokenizer may read tables.
        dropped = Set(
            try String.fetchAll(
                db, sql: "SELECT 'the' UNION SELECT ?", arguments: [arguments.first ?? "a"]))
        wrappedTokenizer = try db.makeTokenizer(.unicode61(diacritics: .keep))
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if token == "fail" { throw DatabaseError(resultCode: .SQLITE_MISMATCH) }
        if dropped.contains(token) { return }
        try tokenCallback(token, flags)
        if token == "first", tokenization.contains(.document) {
            try tokenCallback("1st", flags.union(.colocated))
        }
    }
}

/// A tokenizer without a wrapped one: each line is a token.
private final class Lines: FTS5CustomTokenizer {
    static let name = "lines"

    init(db: Database, arguments: [String]) {}

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?,
        nText: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        let bytes = UnsafeBufferPointer(start: pText, count: Int(nText))
        var start = 0
        for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
            let base = bytes.baseAddress.map { $0 + start }
            let code = tokenCallback(
                context, 0, base, CInt(line.count), CInt(start), CInt(start + line.count))
            if code != 0 { return code }
            start += line.count + 1
        }
        return 0
    }
}

/// Tokenizers of FTS5 tables that the program defines.
final class TokenizerTests: XCTestCase {
    private func hasFTS5(_ configuration: Configuration) throws -> Bool {
        try DatabaseQueue(configuration: configuration).write { db in
            try FullTextModule.fts5.ifPresent { try FullTextModule.fts5.create(db, "t") }
        }
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(tokenizer: Words.self)
            db.add(tokenizer: Lines.self)
        }
        return configuration
    }

    private func onEachFTS5Writer(_ body: (any DatabaseWriter) throws -> Void) throws {
        var count = 0
        try withEachBackend { plain in
            guard try hasFTS5(plain) else { return }
            count += 1
            var configuration = configuration
            configuration.backend = plain.backend
            let directory = try TemporaryDirectory()
            try body(DatabaseQueue(configuration: configuration))
            try body(DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration))
        }
        if count == 0 { throw XCTSkip("no library has FTS5") }
    }

    private func count(_ db: Database, _ pattern: String) throws -> Int? {
        try Int.fetchOne(
            db, sql: "SELECT COUNT(*) FROM document WHERE document MATCH ?", arguments: [pattern])
    }

    func testTokensOfTheProgramAreIndexed() throws {
        try onEachFTS5Writer { writer in
            try writer.write { db in
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.tokenizer = Words.tokenizerDescriptor(arguments: ["it's"])
                    t.column("text")
                }
                try db.execute(sql: "INSERT INTO document VALUES ('the first row'), ('last row')")
            }
            try writer.read { db in
                XCTAssertEqual(try count(db, "first"), 1)
                XCTAssertEqual(try count(db, "1st"), 1)
                XCTAssertEqual(try count(db, "\"the first row\""), 1)
                XCTAssertEqual(try count(db, "the"), 0)
                XCTAssertEqual(try count(db, "row"), 2)
                let tokenizer = try db.makeTokenizer(Words.tokenizerDescriptor())
                let tokens = try tokenizer.tokenize(document: "The first é")
                XCTAssertEqual(tokens.map(\.token), ["first", "1st", "é"])
                XCTAssertEqual(tokens.map(\.flags), [[], .colocated, []])
                XCTAssertEqual(try tokenizer.tokenize(query: "first").map(\.token), ["first"])
                XCTAssertEqual(try tokenizer.tokenize(query: "").count, 0)
            }
        }
    }

    func testErrorsOfTokenizersFailTheStatement() throws {
        try onEachFTS5Writer { writer in
            try writer.write { db in
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.tokenizer = Words.tokenizerDescriptor()
                    t.column("text")
                }
                XCTAssertThrowsError(try db.execute(sql: "INSERT INTO document VALUES ('fail')")) { error in
                    XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISMATCH)
                }
            }
            try writer.write { db in
                try db.execute(sql: "INSERT INTO document VALUES ('one')")
                XCTAssertEqual(try count(db, "one"), 1)
                XCTAssertThrowsError(
                    try db.create(virtualTable: "failing", using: FTS5()) { t in
                        t.tokenizer = Words.tokenizerDescriptor(arguments: ["invalid"])
                        t.column("text")
                    })
                XCTAssertThrowsError(
                    try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["missing"]))
                ) { error in
                    XCTAssertEqual((error as? DatabaseError)?.message, "no such tokenizer: missing")
                }
                XCTAssertThrowsError(
                    try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["unicode61", "odd"])))
            }
        }
    }

    func testTokenizersWithoutAWrappedOneAreCalled() throws {
        try onEachFTS5Writer { writer in
            try writer.write { db in
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.tokenizer = Lines.tokenizerDescriptor()
                    t.column("text")
                }
                try db.execute(sql: "INSERT INTO document VALUES (?)", arguments: ["one line\nanother"])
                XCTAssertEqual(try count(db, "\"one line\""), 1)
                XCTAssertEqual(try count(db, "another"), 1)
                XCTAssertEqual(try count(db, "one"), 0)
            }
        }
    }

    func testTokenizersOfTheLibraryReturnTokens() throws {
        try onEachFTS5Writer { writer in
            try writer.read { db in
                func tokens(_ descriptor: FTS5TokenizerDescriptor, _ text: String) throws -> [String] {
                    try db.makeTokenizer(descriptor).tokenize(document: text).map(\.token)
                }
                XCTAssertEqual(try tokens(.ascii(), "Été A"), ["Été", "a"])
                XCTAssertEqual(
                    try tokens(.porter(wrapping: .ascii()), "Observed tables"), ["observ", "tabl"])
                XCTAssertEqual(try tokens(.unicode61(tokenCharacters: ["-"]), "É-b c"), ["e-b", "c"])
                if try tokens(.unicode61(), "a") == ["a"], db.supports(.dropColumn) {
                    XCTAssertEqual(try tokens(.trigram(), "abcd"), ["abc", "bcd"])
                    XCTAssertEqual(try tokens(.trigram(matchesCase: true), "ABC"), ["ABC"])
                }
            }
        }
    }

    func testObservedSearchesCallTokenizers() throws {
        try onEachFTS5Writer { writer in
            try writer.write { db in
                try IndexedNote.createTable(db)
                try db.create(virtualTable: "noteIndex", using: FTS5()) { t in
                    t.tokenizer = Words.tokenizerDescriptor()
                    t.synchronize(withTable: "note")
                    t.column("title")
                }
            }
            let request = Table("noteIndex").all().matching(FTS5Pattern(matchingAllTokensIn: "1st"))
            let (values, cancellable) = record(
                ValueObservation.tracking(request.fetchCount), in: writer)
            defer { cancellable.cancel() }
            XCTAssertEqual(values.wait(count: 1), [0])
            try writer.write { db in try IndexedNote(id: 1, title: "First", body: "").insert(db) }
            XCTAssertEqual(values.wait(count: 2), [0, 1])
        }
    }

    func testALibraryWithoutFTS5ReportsTheMissingTokenizers() throws {
        var count = 0
        try withEachBackend { plain in
            guard try !hasFTS5(plain) else { return }
            count += 1
            try DatabaseQueue(configuration: plain).writeWithoutTransaction { db in
                db.add(tokenizer: Words.self)
                XCTAssertThrowsError(try db.execute(sql: "SELECT 1")) { error in
                    let message = (error as? DatabaseError)?.message
                    XCTAssertTrue(
                        message?.hasPrefix("custom tokenizers need FTS5 and SQLite 3.20 or later") == true,
                        "\(error)")
                }
                try db.execute(sql: "SELECT 1")
            }
        }
        if count == 0 { throw XCTSkip("all libraries have FTS5") }
    }
}
