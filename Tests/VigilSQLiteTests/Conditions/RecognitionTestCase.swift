import VigilStorage
import XCTest

/// A base class for tests of the conditions that are recognized in queries, on each backend of the build.
class RecognitionTestCase: XCTestCase {
    static let schema = """
        CREATE TABLE player(
            id INTEGER PRIMARY KEY, name TEXT, team INTEGER, score REAL, note, joined DATETIME,
            nick TEXT COLLATE NOCASE, code TEXT COLLATE RTRIM, "key" TEXT, age INT DEFAULT 7);
        CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE plain(a, b);
        CREATE TABLE keyed(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TABLE shadowed(rowid TEXT, x);
        CREATE TABLE single(a INTEGER);
        CREATE TABLE anything(x ANY);
        CREATE VIEW best AS SELECT * FROM player WHERE score > 30;
        CREATE TEMP TABLE draft(team INTEGER, name TEXT);
        CREATE VIRTUAL TABLE box USING rtree(id, low, high);
        ATTACH ':memory:' AS other;
        CREATE TABLE other.team(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
        """

    private var opened: [(name: String, connection: any StorageConnection)] = []

    override func tearDownWithError() throws {
        opened = []
    }

    /// Returns new connections with the schema.
    func connections() throws -> [(name: String, connection: any StorageConnection)] {
        try NamedBackend.all.map { (name: $0.name, connection: try $0.open(Self.schema)) }
    }

    /// Returns connections that the assertions of a test share. They change neither the schema nor rows.
    func sharedConnections() throws -> [(name: String, connection: any StorageConnection)] {
        if opened.isEmpty { opened = try connections() }
        return opened
    }

    /// Compares recognized conditions with `table: condition AND condition | condition` for each table.
    func assertFinds(
        _ expected: String..., in sql: String, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        for (name, connection) in try sharedConnections() {
            let statement = try connection.prepared(sql)
            defer { statement.finalize() }
            XCTAssertEqual(
                statement.rowConditions.lines(statement), expected, "\(name): \(sql)", file: file, line: line)
        }
    }

    /// Compares the recognized conditions of queries of `player` that have the given condition.
    func assertFinds(
        _ expected: String?, where condition: String, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        for (name, connection) in try sharedConnections() {
            let statement = try connection.prepared("SELECT * FROM player WHERE \(condition)")
            defer { statement.finalize() }
            XCTAssertEqual(
                statement.rowConditions.lines(statement), expected.map { ["player: " + $0] } ?? [],
                "\(name): \(condition)", file: file, line: line)
        }
    }

    func assertLeavesOut(
        _ expected: (text: String, reason: String)..., in sql: String, file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        for (name, connection) in try sharedConnections() {
            let statement = try connection.prepared(sql)
            defer { statement.finalize() }
            XCTAssertEqual(
                statement.rowConditions.omissions.map { "\($0.text): \($0.reason)" },
                expected.map { "\($0.text): \($0.reason)" }, "\(name): \(sql)", file: file, line: line)
        }
    }

    /// Compares the condition that `player` has after values are bound.
    func assertBinds(
        _ values: [StorageValue], in condition: String, to expected: RowCondition?,
        file: StaticString = #filePath, line: UInt = #line
    ) throws {
        for (name, connection) in try sharedConnections() {
            let statement = try connection.prepared("SELECT * FROM player WHERE \(condition)")
            defer { statement.finalize() }
            let bound = statement.rowConditions(boundTo: values)
            XCTAssertEqual(
                bound[TableName(name: "player")], expected.map { [[$0]] }, "\(name): \(condition), \(values)",
                file: file, line: line)
        }
    }
}

extension RowConditionReport {
    func lines(_ statement: any StorageStatement) -> [String] {
        tables.map { table in
            let alternatives = table.alternatives.map { conditions in
                conditions.map { $0.text { statement.parameterName(at: $0) ?? "?" } }.joined(
                    separator: " AND ")
            }
            return "\(table.table): " + alternatives.joined(separator: " | ")
        }
    }
}
