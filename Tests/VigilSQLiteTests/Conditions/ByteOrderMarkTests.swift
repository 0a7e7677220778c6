import VigilStorage
import XCTest

/// U+FEFF is white space to newer libraries, and part of a name to older ones.
final class ByteOrderMarkTests: RecognitionTestCase {
    private let mark = "\u{FEFF}"

    /// Returns whether the library treats the mark as white space.
    private func isSpace(_ connection: any StorageConnection) -> Bool {
        guard let statement = try? statement("SELECT \(mark)1", connection) else { return false }
        statement.finalize()
        return true
    }

    /// Returns the compiled statement, or `nil` if the SQL does not compile.
    private func statement(_ sql: String, _ connection: any StorageConnection) throws
        -> (any StorageStatement)?
    {
        try connection.prepare(sql, fromUTF8Offset: 0, isCached: false).statement
    }

    private let bothAlternatives = "player: team = 5 | score > 30"

    func testTheMarkHidesNoOperator() throws {
        for (name, connection) in try connections() {
            for condition in [
                "team = 5 \(mark)OR score > 30", "team = 5 \(mark)\(mark) OR score > 30",
                "team = 5 \(mark)COLLATE NOCASE",
            ] {
                let sql = "SELECT * FROM player WHERE \(condition)"
                guard let statement = try? statement(sql, connection) else { continue }
                defer { statement.finalize() }
                let expected = condition.contains("OR") ? [bothAlternatives] : []
                XCTAssertEqual(
                    statement.rowConditions.lines(statement), expected, "\(name): \(condition)")
            }
        }
    }

    func testConditionsAreFoundBesideTheMark() throws {
        for (name, connection) in try connections() where isSpace(connection) {
            let statement = try connection.prepared(
                "\(mark)SELECT * FROM \(mark)player WHERE team = \(mark)5")
            defer { statement.finalize() }
            XCTAssertEqual(statement.rowConditions.lines(statement), ["player: team = 5"], name)
        }
    }

    func testTheMarkHidesNoWord() throws {
        for (name, connection) in try connections() where isSpace(connection) {
            let statement = try connection.prepared("SELECT plain.a FROM plain \(mark)NATURAL JOIN single")
            defer { statement.finalize() }
            XCTAssertNil(
                statement.access.reads.first { $0.table.name == "single" }?.columns, "\(name): by its name")
            try connection.run(
                "CREATE TABLE u(id INTEGER PRIMARY KEY, a UNIQUE); INSERT INTO u VALUES (1, 1)")
            let log = EventLog()
            connection.report(to: log, interest: .changes)
            try connection.run("INSERT OR \(mark)REPLACE INTO u VALUES (2, 1)")
            XCTAssertTrue(log.covers("u", 1), "\(name): \(log.entries)")
            connection.report(to: nil, interest: .nothing)
        }
    }

    func testTheMarkIsPartOfNames() throws {
        for (name, connection) in try connections() {
            for table in ["\"\(mark)t\"", "a\(mark)t"] + (isSpace(connection) ? [] : ["\(mark)\(mark)b"]) {
                try connection.run("CREATE TABLE \(table)(a)")
                let statement = try connection.prepared("SELECT COUNT(*) FROM \(table)")
                defer { statement.finalize() }
                let names = statement.access.reads.map(\.table.name)
                XCTAssertEqual(
                    names.map { Array($0.utf8) },
                    [Array(table.utf8.filter { $0 != UInt8(ascii: "\"") })], "\(name): \(names)")
            }
        }
    }

    /// Compares which characters are white space and which are parts of names.
    func testCharacterClassesMatchTheLibrary() throws {
        // A semicolon ends the statement.
        let scalars =
            (1...0x2FF).filter { $0 != 0x3B } + [
                0x1680, 0x180E, 0x200B, 0x2028, 0x3000, 0xFEFE, 0xFEFF, 0x1F600,
            ]
        for (name, connection) in try connections() {
            for character in scalars.compactMap(Unicode.Scalar.init).map({ String($0) }) {
                let sql = "SELECT name FROM player WHERE team = 5 \(character)OR score > 30"
                guard let statement = try? statement(sql, connection) else { continue }
                defer { statement.finalize() }
                // An OR that is overlooked would leave a single condition.
                let lines = statement.rowConditions.lines(statement)
                XCTAssertTrue(lines == [] || lines == [bothAlternatives], "\(name): \(sql): \(lines)")
            }
        }
    }
}
