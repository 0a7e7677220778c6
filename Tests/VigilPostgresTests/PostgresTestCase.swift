import Foundation
import VigilStorage
import XCTest

@testable import VigilPostgres

/// A test that uses the server in `VIGIL_POSTGRES`, and a schema of its own.
class PostgresTestCase: XCTestCase {
    private var schema = ""
    private var server = ""

    override func setUpWithError() throws {
        server = try Self.address("VIGIL_POSTGRES")
        schema = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        let connection = try PostgresConnection(server)
        try connection.execute("CREATE SCHEMA \(schema)")
        try connection.close()
    }

    override func tearDownWithError() throws {
        guard !schema.isEmpty else { return }
        let connection = try PostgresConnection(server)
        try connection.execute("DROP SCHEMA \(schema) CASCADE")
        try connection.close()
    }

    static func address(_ variable: String) throws -> String {
        guard (try? PostgresLibrary.linked()) != nil else {
            throw XCTSkip("this build does not have the trait PostgreSQL")
        }
        guard let address = ProcessInfo.processInfo.environment[variable] else {
            throw XCTSkip("\(variable) is not set: eval \"$(Scripts/postgres start --standby)\"")
        }
        return address
    }

    /// The connection string of the test's schema.
    var address: String { "\(server)&options=-csearch_path%3D\(schema)" }
    var schemaName: String { schema }

    func open(_ options: StorageOptions = StorageOptions()) throws -> PostgresConnection {
        try PostgresConnection(address, options: options)
    }

    func assertThrows<Result>(
        _ code: StorageError.Code, sqlState: String? = nil, _ body: @autoclosure () throws -> Result,
        file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertThrowsError(try body(), file: file, line: line) { error in
            let error = error as? StorageError
            XCTAssertEqual(error?.code, code, error?.description ?? "", file: file, line: line)
            if let sqlState { XCTAssertEqual(error?.sqlState, sqlState, file: file, line: line) }
        }
    }
}

extension PostgresConnection {
    /// Runs all statements of a script, and returns the rows of the last one that has columns.
    @discardableResult
    func execute(_ sql: String, _ values: [StorageValue] = []) throws -> [[StorageValue]] {
        var offset = 0
        var rows: [[StorageValue]] = []
        while true {
            let preparation = try prepare(sql, fromUTF8Offset: offset, isCached: false)
            offset = preparation.endUTF8Offset
            guard let statement = preparation.statement else { return rows }
            defer { statement.finalize() }
            for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
            let new = try statement.allRows()
            if !statement.columnNames.isEmpty { rows = new }
        }
    }

    func statement(_ sql: String, isCached: Bool = false) throws -> any StorageStatement {
        try XCTUnwrap(prepare(sql, fromUTF8Offset: 0, isCached: isCached).statement)
    }

    var serverProcess: Int64? {
        get throws {
            guard case .integer(let id)? = try execute("SELECT pg_backend_pid()").first?.first else {
                return nil
            }
            return id
        }
    }
}

extension StorageStatement {
    func allRows() throws -> [[StorageValue]] {
        var rows: [[StorageValue]] = []
        while try step() { rows.append((0..<row.count).map { row[$0].value }) }
        return rows
    }
}
