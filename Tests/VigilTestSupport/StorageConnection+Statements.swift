package import VigilStorage
import XCTest

/// Shorthands for tests that use a connection without the engine.
extension StorageConnection {
    /// Runs all statements of `sql`, and returns the rows of the last.
    @discardableResult
    package func run(_ sql: String, _ values: [StorageValue] = []) throws -> [[StorageValue]] {
        var rows: [[StorageValue]] = []
        var offset = 0
        while let statement = try next(sql, &offset) {
            defer { statement.finalize() }
            for (index, value) in values.enumerated() where index < statement.parameterCount {
                try statement.bind(value, at: index + 1)
            }
            rows = []
            while try statement.step() {
                rows.append((0..<statement.row.count).map { statement.row[$0].value })
            }
        }
        return rows
    }

    private func next(_ sql: String, _ offset: inout Int) throws -> (any StorageStatement)? {
        while offset < sql.utf8.count {
            let preparation = try prepare(sql, fromUTF8Offset: offset, isCached: false)
            offset = preparation.endUTF8Offset
            if let statement = preparation.statement { return statement }
        }
        return nil
    }

    package func prepared(_ sql: String) throws -> any StorageStatement {
        try XCTUnwrap(prepare(sql, fromUTF8Offset: 0, isCached: false).statement)
    }

    package func withStatement<Result>(_ sql: String, _ body: (any StorageStatement) throws -> Result) throws
        -> Result
    {
        guard let statement = try prepare(sql, fromUTF8Offset: 0, isCached: false).statement else {
            throw StorageError(.misuse, "no statement", sql: sql)
        }
        defer { statement.finalize() }
        return try body(statement)
    }
}
