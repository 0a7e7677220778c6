import VigilStorage
import XCTest

/// `LIKE` and `GLOB` with a pattern that begins with fixed characters.
final class PatternTests: RecognitionTestCase {
    /// The backends whose library reports whether these functions are built in.
    override func connections() throws -> [(name: String, connection: any StorageConnection)] {
        try super.connections().filter { try $0.connection.hasVersionOfFunctionList }
    }

    private func prefix(_ column: String, _ prefix: String, _ collation: RowCondition.Collation = .nocase)
        -> RowCondition
    {
        RowCondition(.named(column), .prefix(prefix), collation: collation)
    }

    func testPatternsAreKept() throws {
        try assertFinds("name LIKE 'abc%'", where: "name like 'abc%'")
        try assertFinds("name LIKE 'abc'", where: "name LIKE 'abc'")
        try assertFinds("name GLOB 'abc*'", where: "name GLOB 'abc*'")
        try assertFinds("name LIKE ? AND team = 5", where: "name LIKE ? AND team = 5")
        try assertFinds("name GLOB :p", where: "player.name GLOB :p")
        try assertFinds("name LIKE NULL", where: "name LIKE NULL")
        try assertFinds("code LIKE 'a%'", where: "(code LIKE 'a%')")
        try assertFinds("keyed: k LIKE 'a%'", in: "SELECT * FROM keyed WHERE k LIKE 'a%'")
    }

    func testPatternsAreAlternatives() throws {
        try assertFinds("name GLOB 'a*' | team = 5", where: "name GLOB 'a*' OR team = 5")
        try assertFinds(nil, where: "name GLOB '*a' OR team = 5")
    }

    func testExpressionsBeyondPatternsAreLeftOut() throws {
        for sql in [
            "name NOT LIKE 'a%'", "name LIKE 'a%' ESCAPE 'b'", "name LIKE 'a' || '%'", "name LIKE ('a%')",
            "'abc' LIKE name", "name LIKE nick", "+name LIKE 'a%'", "name LIKE 'a%' COLLATE NOCASE",
            "name COLLATE NOCASE LIKE 'a%'", "name LIKE 'a%' = 1", "like('a%', name)",
            "name LIKE 'a%' IS NULL",
            "name LIKE 'a%' LIKE 'b%'", "name || '' LIKE 'a%'",
        ] {
            try assertFinds(nil, where: sql)
        }
    }

    func testReasonsAreGiven() throws {
        try assertLeavesOut(
            ("name LIKE '%a'", "the pattern does not begin with ASCII characters"),
            ("name GLOB 'é*'", "the pattern does not begin with ASCII characters"),
            ("name LIKE 12", "the pattern is not text"), ("name LIKE x'6125'", "the pattern is not text"),
            ("team LIKE '1%'", "numbers match patterns too"), ("id LIKE '1%'", "numbers match patterns too"),
            ("rowid GLOB '1*'", "numbers match patterns too"),
            in: """
                SELECT * FROM player WHERE name LIKE '%a' AND name GLOB 'é*' AND name LIKE 12 AND name LIKE x'6125'
                AND team LIKE '1%' AND id LIKE '1%' AND rowid GLOB '1*'
                """)
    }

    func testThePrefixEndsAtTheFirstUncertainCharacter() throws {
        for (pattern, like, glob) in [
            ("abc%", "abc", "abc%"), ("abc*", "abc*", "abc"), ("a_c", "a", "a_c"), ("a?c", "a?c", "a"),
            ("a[b]", "a[b]", "a"), ("abc", "abc", "abc"), ("aBé%", "aB", "aB"), ("a\0b%", "a", "a"),
            (" x%", " x", " x%"),
        ] {
            try assertBinds([.text(pattern)], in: "name LIKE ?", to: prefix("name", like))
            try assertBinds([.text(pattern)], in: "name GLOB ?", to: prefix("name", glob, .binary))
        }
        // The result does not depend on the collation of the column.
        try assertBinds([.text("aB%")], in: "nick LIKE ?", to: prefix("nick", "aB"))
        try assertBinds([.text("aB*")], in: "nick GLOB ?", to: prefix("nick", "aB", .binary))
        try assertBinds([.text("aB*")], in: "code GLOB ?", to: prefix("code", "aB", .binary))
        try assertBinds([.text("aB*")], in: "note GLOB ?", to: prefix("note", "aB", .binary))
    }

    func testPatternsWithoutAPrefixAreLeftOut() throws {
        for value in [StorageValue.text("%a"), .text(""), .text("é"), .integer(1), .real(1), .blob([0x61])] {
            try assertBinds([value], in: "name LIKE ?", to: nil)
        }
        for sql in ["name LIKE ?", "name GLOB ?"] {
            try assertBinds([.null], in: sql, to: RowCondition(.named("name"), .oneOf([])))
        }
    }

    func testOtherEncodingsAreLeftOut() throws {
        for named in NamedBackend.all {
            let connection = try named.open("PRAGMA encoding = 'UTF-16'; CREATE TABLE t(a TEXT)")
            let report = try connection.prepared("SELECT * FROM t WHERE a LIKE 'a%'").rowConditions
            XCTAssertEqual(report.tables, [], named.name)
            XCTAssertEqual(report.omissions.map(\.reason), ["the database does not store UTF-8"], named.name)
        }
    }

    func testOperatorsOfOldLibrariesAreNotTrusted() throws {
        for (name, connection) in try super.connections() where try !connection.hasVersionOfFunctionList {
            let report = try connection.prepared("SELECT * FROM player WHERE name LIKE 'a%'").rowConditions
            XCTAssertEqual(
                report.omissions.map(\.reason),
                ["this version of the library does not report whether LIKE is built in"], name)
        }
    }
}

/// Conditions of operators whose underlying functions may be replaced.
final class ReplacedPatternTests: RecognitionTestCase {
    private let sql = "SELECT * FROM player WHERE name LIKE 'a%' AND nick GLOB 'a*'"

    /// Returns the conditions of one query for each operator.
    private func kept(_ connection: any StorageConnection) throws -> [String] {
        try ["name LIKE 'a%'", "nick GLOB 'a*'"].flatMap { condition in
            let statement = try connection.prepared("SELECT * FROM player WHERE \(condition)")
            defer { statement.finalize() }
            return statement.rowConditions.texts
        }
    }

    private func onEachConnection(_ body: (any StorageConnection & FunctionHosting) throws -> Void) throws {
        for (_, connection) in try connections() where try connection.hasVersionOfFunctionList {
            try body(XCTUnwrap(connection as? any StorageConnection & FunctionHosting))
        }
    }

    private func function(_ name: String, _ count: Int?) -> StorageFunction {
        StorageFunction(name: name, argumentCount: count, isPure: true, body: .scalar { _ in .integer(1) })
    }

    func testAnApplicationFunctionIsNotTrusted() throws {
        for count in [2, nil] {
            try onEachConnection { connection in
                try connection.add(function("LiKe", count))
                XCTAssertEqual(try kept(connection), ["nick GLOB 'a*'"])
                try connection.add(function("glob", count))
                XCTAssertEqual(try kept(connection), [])
            }
        }
    }

    func testConditionsAreRecomputedWhenAFunctionIsReplaced() throws {
        for count in [2, nil] {
            try onEachConnection { connection in
                let statement = try connection.prepared(sql)
                defer { statement.finalize() }
                let revision = statement.accessRevision
                XCTAssertEqual(statement.rowConditions.texts, ["name LIKE 'a%'", "nick GLOB 'a*'"])
                try connection.add(function("other", count))
                XCTAssertEqual(statement.accessRevision, revision)
                try connection.add(function("like", count))
                XCTAssertNotEqual(statement.accessRevision, revision)
                XCTAssertEqual(statement.rowConditions.texts, [])
                XCTAssertEqual(
                    statement.rowConditions.omissions,
                    [
                        .init(text: "name LIKE 'a%'", reason: "the program has its own LIKE"),
                        .init(
                            text: "nick GLOB 'a*'",
                            reason: "LIKE may fail for rows that do not meet the condition"),
                    ])
            }
        }
    }

    func testNoStatementLoadsFunctions() throws {
        try onEachConnection { connection in
            XCTAssertThrowsError(try connection.run("SELECT load_extension('icu')")) { error in
                XCTAssertTrue("\(error)".contains("not authorized"), "\(error)")
            }
        }
    }

    func testCaseSensitiveLikeIsNotTrusted() throws {
        try onEachConnection { connection in
            // The pragma takes effect when it is compiled.
            try connection.prepared("PRAGMA case_sensitive_like = ON").finalize()
            XCTAssertEqual(try kept(connection), ["nick GLOB 'a*'"])
        }
    }

    /// A prefix that ignores case remains a necessary condition.
    func testConditionsAcceptALikeThatBecomesCaseSensitiveLater() throws {
        try onEachConnection { connection in
            XCTAssertEqual(try kept(connection), ["name LIKE 'a%'", "nick GLOB 'a*'"])
            try connection.run("PRAGMA case_sensitive_like = ON")
            XCTAssertEqual(try connection.run("SELECT 'A' LIKE 'a%'"), [[.integer(0)]])
            let bound = try connection.prepared(sql).rowConditions(boundTo: [])
            let like = RowCondition(.named("name"), .prefix("a"), collation: .nocase)
            XCTAssertEqual(bound[TableName(name: "player")]?.first?.first, like)
        }
    }
}

extension StorageConnection {
    fileprivate var hasVersionOfFunctionList: Bool {
        get throws {
            guard case .text(let version)? = try run("SELECT sqlite_version()").first?.first else {
                return false
            }
            let numbers = version.split(separator: ".").compactMap { Int($0) }
            return !numbers.lexicographicallyPrecedes([3, 30])
        }
    }
}

extension RowConditionReport {
    fileprivate var texts: [String] {
        tables.flatMap { $0.alternatives.joined() }.map { $0.text { "?\($0)" } }
    }
}

/// Statements with a pattern parameter, which the library recompiles when another pattern is bound.
final class BoundPatternTests: RecognitionTestCase {
    private func onEachConnection(
        _ schema: String, _ body: (any StorageConnection, any StorageStatement) throws -> Void
    ) throws {
        for named in NamedBackend.all {
            let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
            guard try connection.hasVersionOfFunctionList else { continue }
            try connection.run(schema)
            let statement = try connection.prepared("SELECT * FROM t WHERE a LIKE ?")
            defer { statement.finalize() }
            try body(connection, statement)
        }
    }

    private func rows(_ statement: any StorageStatement, _ pattern: String) throws -> Int {
        try statement.bind(.text(pattern), at: 1)
        var count = 0
        while try statement.step() { count += 1 }
        return count
    }

    private let schema = "CREATE TABLE t(a TEXT); CREATE INDEX i ON t(a); INSERT INTO t VALUES ('a'), ('b')"

    func testConditionsStayWhenAPatternIsRebound() throws {
        try onEachConnection(schema) { connection, statement in
            let revision = statement.accessRevision
            XCTAssertEqual(statement.rowConditions.texts, ["a LIKE ?1"])
            for pattern in ["a%", "b%", "_"] { XCTAssertGreaterThan(try rows(statement, pattern), 0) }
            XCTAssertEqual(statement.accessRevision, revision)
        }
    }

    func testConditionsChangeWithTheSchema() throws {
        for change in [
            "ALTER TABLE t ADD COLUMN b", "CREATE TEMP TABLE other(a)", "ATTACH ':memory:' AS other",
            "BEGIN; CREATE TABLE other(a)",
        ] {
            try onEachConnection(schema) { connection, statement in
                let revision = statement.accessRevision
                XCTAssertEqual(statement.rowConditions.texts, ["a LIKE ?1"])
                XCTAssertEqual(try rows(statement, "a%"), 1)
                try connection.run(change)
                XCTAssertEqual(try rows(statement, "b%"), 1)
                XCTAssertNotEqual(statement.accessRevision, revision, change)
            }
        }
    }

    func testColumnsOfARecompiledStatementChangeWithTheSchema() throws {
        try onEachConnection(schema) { connection, statement in
            try connection.run("ALTER TABLE t ADD COLUMN b")
            XCTAssertEqual(statement.rowConditions.texts, ["a LIKE ?1"])
            XCTAssertEqual(try rows(statement, "a%"), 1)
            XCTAssertEqual(statement.columnNames, ["a", "b"])
        }
    }
}
