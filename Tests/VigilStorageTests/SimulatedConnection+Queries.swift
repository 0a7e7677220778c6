import VigilStorage

/// Short words for the simulation's tests, beside those that all backends' tests use.
extension StorageConnection {
    func withStatement<Result>(_ sql: String, _ body: (any StorageStatement) throws -> Result) throws
        -> Result
    {
        guard let statement = try prepare(sql, fromUTF8Offset: 0, isCached: false).statement else {
            throw StorageError(.misuse, "no statement", sql: sql)
        }
        defer { statement.finalize() }
        return try body(statement)
    }

    /// The first column of each row.
    func integers(_ sql: String) throws -> [Int64] {
        try run(sql).compactMap { if case .integer(let integer)? = $0.first { integer } else { nil } }
    }

    /// The code of the error that `sql` fails with; `nil` if it does not.
    func code(_ sql: String) -> StorageError.Code? {
        do {
            try run(sql)
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }
}
