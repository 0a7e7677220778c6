import Vigil
import VigilStorage
import XCTest

/// A test of the SQL that is generated in a dialect. The library of the build supplies the schema.
class DialectTestCase: XCTestCase {
    static let schema = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        """

    func backend(_ dialect: SQLDialect) throws -> DialectBackend {
        DialectBackend(base: try XCTUnwrap(testedBackends.first).backend, dialect: dialect)
    }

    /// Calls `body` with a database that contains the ``schema``.
    func withDatabase<T>(
        _ backend: DialectBackend, schema: String = DialectTestCase.schema, _ body: (Database) throws -> T
    ) throws -> T {
        var configuration = Configuration()
        configuration.backend = backend
        return try DatabaseQueue(configuration: configuration).inDatabase { db in
            try db.execute(sql: schema)
            return try body(db)
        }
    }

    /// Checks the SQL of the first statement that `work` compiles.
    func assertSQL(
        _ dialect: SQLDialect, _ expected: String, schema: String = DialectTestCase.schema,
        file: StaticString = #filePath, line: UInt = #line, _ work: (Database) throws -> Void
    ) throws {
        var backend = try backend(dialect)
        // The library does not run the statement.
        backend.missingFeatures = [:]
        try withDatabase(backend, schema: schema) { db in
            backend.log.refuseStatements(true)
            XCTAssertThrowsError(try work(db), file: file, line: line) { error in
                XCTAssertEqual((error as? DatabaseError)?.sql, expected, "\(error)", file: file, line: line)
            }
        }
    }

    /// Checks that a definition or request is refused before a statement is compiled.
    func assertUnsupported(
        _ dialect: SQLDialect, _ message: String, file: StaticString = #filePath, line: UInt = #line,
        _ work: (Database) throws -> Void
    ) throws {
        var backend = try backend(dialect)
        // The library does not run the statement.
        backend.missingFeatures = [:]
        try withDatabase(backend) { db in
            backend.log.refuseStatements(true)
            XCTAssertThrowsError(try work(db), file: file, line: line) { error in
                let error = error as? DatabaseError
                XCTAssertEqual(error?.resultCode, .SQLITE_MISUSE, file: file, line: line)
                XCTAssertEqual(
                    error?.message, "the backend does not support \(message)", file: file, line: line)
            }
        }
    }
}
