import BenchmarkWork
import CReference

/// A connection of the C library, for use by one thread at a time.
final class ReferenceConnection {
    private let handle: OpaquePointer

    init(path: String, script: String) throws {
        guard let handle = reference_open(path, script) else {
            throw WorkError("the C library cannot open \(path)")
        }
        self.handle = handle
    }

    deinit { reference_close(handle) }

    func prepare(_ sql: String) throws -> ReferenceStatement {
        guard let statement = reference_prepare(handle, sql) else {
            throw WorkError("the C library cannot compile \(sql)")
        }
        return ReferenceStatement(statement, of: self)
    }

    func transaction(_ statement: ReferenceStatement, _ first: Int64, _ second: Int64) throws {
        try check(reference_transaction(handle, statement.handle, first, second))
    }

    func bulkTransaction(_ statement: ReferenceStatement, text: String, count: Int) throws {
        try check(reference_bulk_transaction(handle, statement.handle, text, Int64(count)))
    }

    func execute(_ sql: String) throws {
        try check(reference_execute(handle, sql))
    }

    func saveRecords(_ statement: ReferenceStatement, count: Int, firstID: Int64) throws {
        try check(reference_save_records(handle, statement.handle, Int64(count), firstID))
    }

    private func check(_ code: Int32) throws {
        guard code == 0 else { throw WorkError("the C library returned error code \(code)") }
    }
}

/// A compiled statement. It keeps its connection open.
final class ReferenceStatement {
    let handle: OpaquePointer
    private let connection: ReferenceConnection

    init(_ handle: OpaquePointer, of connection: ReferenceConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { reference_finalize(handle) }

    /// Fetches a record by key and returns its checksum.
    func record(_ key: Int64) -> Int64 { reference_fetch_record(handle, key) }

    /// Runs a query and returns the sum of the integers of its first column.
    func sum(_ first: Int64 = 0, _ second: Int64 = 0) -> Int64 { reference_sum(handle, first, second) }
}
