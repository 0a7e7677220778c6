import VigilStorage

/// Short words for the simulation's tests.
extension StorageConnection {
    /// Runs all statements of `sql`.
    func run(_ sql: String) throws {
        var offset = 0
        while true {
            let preparation = try prepare(sql, fromUTF8Offset: offset, isCached: false)
            guard let statement = preparation.statement else { return }
            defer { statement.finalize() }
            while try statement.step() {}
            offset = preparation.endUTF8Offset
        }
    }

    func withStatement<Result>(_ sql: String, _ body: (any StorageStatement) throws -> Result) throws
        -> Result
    {
        guard let statement = try prepare(sql, fromUTF8Offset: 0, isCached: false).statement else {
            throw StorageError(.misuse, "no statement", sql: sql)
        }
        defer { statement.finalize() }
        return try body(statement)
    }

    func rows(_ sql: String) throws -> [[StorageValue]] {
        try withStatement(sql) { statement in
            var rows: [[StorageValue]] = []
            while try statement.step() {
                rows.append((0..<statement.row.count).map { statement.row[$0].value })
            }
            return rows
        }
    }

    /// The first column of each row.
    func integers(_ sql: String) throws -> [Int64] {
        try rows(sql).compactMap { if case .integer(let integer)? = $0.first { integer } else { nil } }
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
