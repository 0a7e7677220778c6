import Foundation
import Vigil
import XCTest

/// Functions of full-text tables as expressions of requests.
final class FullTextFunctionTests: QueryInterfaceTestCase {
    private func onEachTable(_ module: FullTextModule, _ body: (Database) throws -> Void) throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                guard try module.ifPresent({ try module.create(db, "document") }) else { return }
                try db.execute(
                    sql: """
                        INSERT INTO document(rowid, title, body) VALUES
                        (1, 'Observation', 'A database is observed, and each change of the database is found'),
                        (2, 'Database', 'A file'), (3, 'Notes', 'Something else')
                        """)
                try body(db)
            }
        }
    }

    private let documents = Table("document").all()

    /// Checks the SQL of the request that selects an expression. Full-text tables run further statements.
    private func assertSelection(
        _ db: Database, _ expression: SQLExpression, _ sql: String, line: UInt = #line
    ) throws {
        let run = try statements(db) {
            _ = try documents.matching(FTS3Pattern(matchingAllTokensIn: "file")).select(expression)
                .asRequest(of: Row.self).fetchAll(db)
        }
        XCTAssertEqual(
            run.filter { !$0.hasPrefix("--") },
            ["SELECT \(sql) FROM \"document\" WHERE \"document\" MATCH 'file'"], line: line)
    }

    private func texts(_ db: Database, _ expression: SQLExpression, _ text: String = "database") throws
        -> [String]
    {
        try documents.matching(FTS3Pattern(matchingAllTokensIn: text))
            .order(Column("rowid")).select(expression, as: String.self).fetchAll(db)
    }

    func testMatchesAreHighlighted() throws {
        try onEachTable(.fts5) { db in
            let title = FTS5.highlight(Column("title"), from: "<", to: ">")
            XCTAssertEqual(try texts(db, title), ["Observation", "<Database>"])
            try assertSelection(db, title, "highlight(\"document\", 0, '<', '>')")
            let body = FTS5.highlight(Column("BODY"), from: "[", to: "]")
            XCTAssertEqual(
                try texts(db, body).first,
                "A [database] is observed, and each change of the [database] is found")
        }
    }

    func testSnippetsContainMatches() throws {
        try onEachTable(.fts5) { db in
            let part = FTS5.snippet(Column("body"), from: "<", to: ">", tokenCount: 3)
            XCTAssertEqual(try texts(db, part, "observed"), ["…is <observed>, and…"])
            XCTAssertEqual(
                try texts(db, FTS5.snippet(from: "<", to: ">", ellipsis: "~", tokenCount: 2), "file"),
                ["A <file>"])
        }
        try onEachTable(.fts4) { db in
            let part = FTS4.snippet(Column("body"), from: "<", to: ">", tokenCount: 3)
            try assertSelection(db, part, "snippet(\"document\", '<', '>', '…', 1, 3)")
            XCTAssertEqual(try texts(db, part, "file"), ["A <file>"])
            XCTAssertEqual(try texts(db, FTS4.snippet(from: "<", to: ">"), "file"), ["A <file>"])
        }
    }

    func testRowsAreOrderedByRelevance() throws {
        try onEachTable(.fts5) { db in
            let matches = documents.matching(FTS5Pattern(matchingAllTokensIn: "database"))
            func ids(_ ordering: any SQLOrderingTerm) throws -> [Int] {
                try matches.order(ordering).select(Column("rowid"), as: Int.self).fetchAll(db)
            }
            XCTAssertEqual(try ids(Column.rank), [2, 1])
            XCTAssertEqual(try ids(FTS5.bm25()), [2, 1])
            XCTAssertEqual(try ids(FTS5.bm25(weights: [0, 1])), [1, 2])
            XCTAssertEqual(try ids(FTS5.bm25(weights: [0, 1]).desc), [2, 1])
        }
    }

    func testStatisticsOfMatchesAreSelected() throws {
        try onEachTable(.fts4) { db in
            XCTAssertEqual(try texts(db, FTS4.offsets(), "file"), ["1 0 2 4"])
            let statistics = documents.matching(FTS3Pattern(matchingAllTokensIn: "file"))
                .select(FTS4.matchInfo("pc"), as: Data.self)
            let numbers = try XCTUnwrap(statistics.fetchOne(db)).withUnsafeBytes { bytes in
                (0..<2).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
            }
            XCTAssertEqual(numbers, [1, 2])
        }
    }

    func testFunctionsOfAliasedTablesNameTheAlias() throws {
        try onEachTable(.fts4) { db in
            let alias = TableAlias(name: "d")
            let request = documents.aliased(alias)
                .matching(FTS3Pattern(matchingAllTokensIn: "file")).select(FTS4.offsets(), as: String.self)
            XCTAssertEqual(try request.fetchAll(db), ["1 0 2 4"])
        }
    }

    func testFunctionsWithoutATableOrColumnThrow() throws {
        try onEachTable(.fts4) { db in
            assertError(
                .SQLITE_MISUSE, "snippet: the full-text table document has no column author"
            ) {
                _ = try texts(db, FTS4.snippet(Column("author"), from: "<", to: ">"))
            }
            assertError(.SQLITE_MISUSE, "offsets needs a request of a full-text table") {
                _ = try SQLRequest<String>("SELECT \(FTS4.offsets()) FROM document").fetchAll(db)
            }
        }
    }

    func testTokensOfTextAreReturned() throws {
        XCTAssertEqual(try FTS3.tokenize("Observed Tables, «é»"), ["observed", "tables", "«é»"])
        XCTAssertEqual(try FTS3.tokenize("Observed tables", withTokenizer: .porter), ["observ", "tabl"])
        XCTAssertEqual(
            try FTS3.tokenize("A-b É=\"c", withTokenizer: .unicode61(tokenCharacters: ["-", "=", "\""])),
            ["a-b", "e=\"c"])
        XCTAssertEqual(
            try FTS3.tokenize("aXb É", withTokenizer: .unicode61(diacritics: .keep, separators: ["X"])),
            ["a", "b", "é"])
    }

    /// Returns random text of operators, quotes and words, as a user could type it.
    private func randomText(_ random: inout SeededNumbers) -> String {
        let parts = [
            "a", "B", "or", "OR", "AND", "NOT", "NEAR", "NEAR/2", "\"", "'", "*", "-", "–", "é", "：",
            "\u{A0}",
            "(", ")", ":", "^", "{", "}", "+", "1", "…", "中", "😀", "title", "title:", " ", " ", "\u{301}",
            "\0",
        ]
        return (0..<(1 + random.next(9))).map { _ in parts[random.next(parts.count)] }.joined()
    }

    func testPatternsOfAnyTextAreValid() throws {
        var random = SeededNumbers(seed: randomSeed("patterns of any text"))
        let texts = (0..<300).map { _ in randomText(&random) }
        try onEachTable(.fts4) { db in
            for text in texts {
                let patterns = [
                    FTS3Pattern(matchingAllTokensIn: text), FTS3Pattern(matchingAnyTokenIn: text),
                    FTS3Pattern(matchingAllPrefixesIn: text), FTS3Pattern(matchingPhrase: text),
                ]
                for pattern in patterns { _ = try documents.matching(pattern).fetchCount(db) }
            }
        }
        try onEachTable(.fts5) { db in
            for text in texts {
                let patterns = [
                    FTS5Pattern(matchingAllTokensIn: text), FTS5Pattern(matchingAnyTokenIn: text),
                    FTS5Pattern(matchingAllPrefixesIn: text), FTS5Pattern(matchingPhrase: text),
                    FTS5Pattern(matchingPrefixPhrase: text),
                ]
                for pattern in patterns { _ = try documents.matching(pattern).fetchCount(db) }
            }
        }
    }
}
