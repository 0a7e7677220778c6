import CVigilPostgres

/// An answer of the server: to a whole command, or one of its rows.
final class PostgresResult {
    private let handle: OpaquePointer
    private let api: UnsafePointer<vigil_postgres_api>
    let status: UInt32

    init(_ handle: OpaquePointer, api: UnsafePointer<vigil_postgres_api>) {
        self.handle = handle
        self.api = api
        status = api.pointee.resultStatus(handle)
    }

    deinit { api.pointee.clear(handle) }

    var rowCount: Int { Int(api.pointee.ntuples(handle)) }

    var columnCount: Int { Int(api.pointee.nfields(handle)) }

    var isError: Bool {
        switch status {
        case PostgresResultStatus.emptyQuery, PostgresResultStatus.commandOK, PostgresResultStatus.tuplesOK,
            PostgresResultStatus.singleTuple, PostgresResultStatus.pipelineSync:
            false
        default: true
        }
    }

    /// Whether the server ends the session with this error.
    ///
    /// The SQLSTATE does not show it: a function of the database can raise an error with any of them.
    var endsSession: Bool {
        guard status == PostgresResultStatus.fatalError else { return false }
        return ["FATAL", "PANIC"].contains(errorField(PostgresErrorField.severity))
    }

    /// The executed command, with the number of rows: `INSERT 0 1`.
    var commandTag: String { api.pointee.cmdStatus(handle).map { String(cString: $0) } ?? "" }

    /// The number of affected rows; `nil` for commands without one.
    var affectedRowCount: Int? { api.pointee.cmdTuples(handle).flatMap { Int(String(cString: $0)) } }

    var message: String { api.pointee.resultErrorMessage(handle).map { String(cString: $0) } ?? "" }

    func errorField(_ field: Int32) -> String? {
        api.pointee.resultErrorField(handle, field).map { String(cString: $0) }
    }

    var columnNames: [String] {
        (0..<columnCount).map { index in
            api.pointee.fname(handle, Int32(index)).map { String(cString: $0) } ?? ""
        }
    }

    func columnType(_ column: Int) -> UInt32 { api.pointee.ftype(handle, Int32(column)) }

    var parameterTypes: [UInt32] {
        (0..<api.pointee.nparams(handle)).map { api.pointee.paramtype(handle, $0) }
    }

    /// Returns the text of a value, valid as long as the result; `nil` for NULL, and for a missing value.
    func bytes(row: Int, column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
        // libpq answers that a missing value is NULL, and that NULL has no length.
        let length = api.pointee.getlength(handle, row, column)
        guard length > 0 || api.pointee.getisnull(handle, row, column) == 0 else { return nil }
        return UnsafeRawBufferPointer(start: api.pointee.getvalue(handle, row, column), count: Int(length))
    }

    func text(row: Int, column: Int) -> String? {
        bytes(row: row, column: column).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// A row of the driver's own queries, as text.
struct TextRow {
    fileprivate(set) var values: [String?]

    /// The text of a value; `nil` for NULL.
    subscript(column: Int) -> String? { values.indices.contains(column) ? values[column] : nil }

    var first: String? { self[0] }
}

extension PostgresResult {
    var textRows: [TextRow] {
        (0..<rowCount).map { row in
            TextRow(values: (0..<columnCount).map { text(row: row, column: $0) })
        }
    }
}
