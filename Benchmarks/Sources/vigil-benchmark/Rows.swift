import CReference
import Foundation
import Vigil

/// Reads 100,000 rows of five columns: through the storage protocol, and as rows.
func measureRows(rounds: Int) throws {
    let path = NSTemporaryDirectory() + "vigil-rows-\(ProcessInfo.processInfo.processIdentifier).sqlite"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let dbQueue = try DatabaseQueue(path: path)
    try dbQueue.write { db in
        try db.execute(
            sql: """
                CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score REAL, team INTEGER, note TEXT);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
                INSERT INTO player SELECT i, 'player number ' || i, i * 1.5, i % 20, NULL FROM n
                """)
    }
    let sql = "SELECT * FROM player"
    let connection = try SQLiteBackend().open(.file(path: path), options: StorageOptions())
    let reference: () -> Int64 = {
        var checksum: Int64 = 0
        _ = reference_read_rows(path, sql, &checksum)
        return checksum
    }
    try Comparison(name: "rows, storage protocol", rounds: rounds, reference: reference) {
        try sumOfCells(connection, sql)
    }.run(per: 100_000, unit: "row")
    try Comparison(name: "rows, by index", rounds: rounds, reference: reference) {
        try dbQueue.read { db in try sumOfRows(db, sql) }
    }.run(per: 100_000, unit: "row")
    try connection.close()
}

private func sumOfCells(_ connection: any StorageConnection, _ sql: String) throws -> Int64 {
    guard let statement = try connection.prepare(sql, fromUTF8Offset: 0, isCached: false).statement else {
        return 0
    }
    defer { statement.finalize() }
    var sum: Int64 = 0
    let row = statement.row
    let count = row.count
    while try statement.step() {
        for index in 0..<count {
            let cell = row.cells[index]
            switch cell.kind {
            case .null: break
            case .integer: sum &+= cell.integer
            case .real: sum &+= Int64(cell.real)
            case .text, .blob: sum &+= Int64(cell.bytes.count) + Int64(cell.bytes[0])
            }
        }
    }
    return sum
}

private func sumOfRows(_ db: Database, _ sql: String) throws -> Int64 {
    var sum: Int64 = 0
    let rows = try Row.fetchCursor(db, sql: sql)
    while let row = try rows.next() {
        sum &+= row[0] as Int64
        let name: String = row[1]
        sum &+= Int64(name.utf8.count) + Int64(name.utf8.first ?? 0)
        sum &+= Int64(row[2] as Double)
        sum &+= row[3] as Int64
        if (row[4] as String?) != nil { sum &+= 1 }
    }
    return sum
}
