import VigilSQLCipher
import VigilSQLite
import VigilStorage
import XCTest

/// The backends of this build, with names for failure messages.
struct NamedBackend {
    let name: String
    let backend: any StorageBackend

    static var all: [NamedBackend] {
        testedBackends.map { NamedBackend(name: $0.name, backend: $0.backend) }
    }
}

extension StorageConnection {
    /// Runs all statements of `sql`, and returns the rows of the last.
    @discardableResult
    func run(_ sql: String, _ values: [StorageValue] = []) throws -> [[StorageValue]] {
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

    func prepared(_ sql: String) throws -> any StorageStatement {
        try XCTUnwrap(prepare(sql, fromUTF8Offset: 0, isCached: false).statement)
    }
}
