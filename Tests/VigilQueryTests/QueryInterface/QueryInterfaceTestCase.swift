import Vigil
import XCTest

struct Patron: TableRecord, FetchableRecord, Codable, Hashable, Identifiable {
    static let databaseTableName = "reader"
    var id: Int64
    var name: String
    var age: Int?

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let age = Column("age")
    }
}

/// The columns of `reader`, with a short name for expressions.
enum Col {
    static let id = Column("id")
    static let name = Column("name")
    static let age = Column("age")
}

class QueryInterfaceTestCase: XCTestCase {
    func makeDatabase() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE reader(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT);
                    INSERT INTO reader VALUES (1, 'Arthur', 40), (2, 'Barbara', NULL), (3, 'Craig', 12);
                    """)
        }
        return dbQueue
    }

    /// Returns the SQL of the statements that a block runs, with the values of their arguments.
    func statements(_ db: Database, _ block: () throws -> Void) rethrows -> [String] {
        var statements: [String] = []
        db.trace { statements.append($0.expandedDescription) }
        defer { db.trace() }
        try block()
        return statements
    }

    /// Checks the SQL of a request, by running it.
    func assertSQL<T>(
        _ db: Database, _ request: QueryInterfaceRequest<T>, _ sql: String, file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        let run = try statements(db) { _ = try Row.fetchAll(db, request) }
        XCTAssertEqual(run.last, sql, file: file, line: line)
    }

    /// Checks the SQL of conditions, by running requests with them.
    func assertConditions(
        _ conditions: [(any SQLSpecificExpressible, String)], file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        try makeDatabase().read { db in
            for (condition, sql) in conditions {
                try assertSQL(
                    db, Patron.filter(condition.sqlExpression), "SELECT * FROM \"reader\" WHERE \(sql)",
                    file: file, line: line)
            }
        }
    }

    /// Checks the SQL of selected expressions, and their value in the row of Arthur, who is 40 and has the id
    /// 1.
    func assertValues(
        _ expressions: [(any SQLSpecificExpressible, String, (any DatabaseValueConvertible)?)],
        file: StaticString = #filePath, line: UInt = #line
    ) throws {
        try makeDatabase().read { db in
            for (expression, sql, value) in expressions {
                let request = Patron.filter(Col.id == 1).select(expression)
                try assertSQL(
                    db, request, "SELECT \(sql) FROM \"reader\" WHERE \"id\" = 1", file: file, line: line)
                let result = try DatabaseValue.fetchOne(db, request)
                XCTAssertEqual(result, value?.databaseValue ?? .null, sql, file: file, line: line)
            }
        }
    }

    func assertError(
        _ code: ResultCode, _ message: String, file: StaticString = #filePath, line: UInt = #line,
        _ block: () throws -> Void
    ) {
        XCTAssertThrowsError(try block(), file: file, line: line) { error in
            let error = error as? DatabaseError
            XCTAssertEqual(error?.resultCode, code, file: file, line: line)
            XCTAssertEqual(error?.message, message, file: file, line: line)
        }
    }

    /// Returns whether the library of the default backend has a feature.
    func supports(_ feature: LibraryFeature) throws -> Bool {
        try DatabaseQueue().read { $0.supports(feature) }
    }

    /// Skips the test if the library of the default backend lacks a feature.
    func require(_ feature: LibraryFeature) throws {
        guard try supports(feature) else { throw XCTSkip("the library has no \(feature)") }
    }
}
