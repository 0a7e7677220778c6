import CReference
import Foundation
import Vigil

/// Reads 100,000 rows through the storage protocol and through C, in turn, and prints the ratio.
let path = NSTemporaryDirectory() + "vigil-rows-\(ProcessInfo.processInfo.processIdentifier).sqlite"
defer { try? FileManager.default.removeItem(atPath: path) }
let connection = try SQLiteBackend().open(.file(path: path), options: StorageOptions())
@MainActor func run(_ sql: String) throws {
    guard let statement = try connection.prepare(sql, fromUTF8Offset: 0, isCached: false).statement else {
        return
    }
    while try statement.step() {}
    statement.finalize()
}
try run("CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score REAL, team INTEGER, note TEXT)")
try run(
    """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    INSERT INTO player SELECT i, 'player number ' || i, i * 1.5, i % 20, NULL FROM n
    """)
let sql = "SELECT * FROM player"

@MainActor func readThroughStorage() throws -> (Int64, Int64) {
    guard let statement = try connection.prepare(sql, fromUTF8Offset: 0, isCached: false).statement else {
        return (0, 0)
    }
    defer { statement.finalize() }
    var rows: Int64 = 0
    var sum: Int64 = 0
    let row = statement.row
    let count = row.count
    while try statement.step() {
        rows += 1
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
    return (rows, sum)
}

var ratios: [Double] = []
for round in 0..<21 {
    var checksum: Int64 = 0
    let clock = ContinuousClock()
    var rows: Int64 = 0
    let reference = clock.measure { rows = reference_read_rows(path, sql, &checksum) }
    var answer: (Int64, Int64) = (0, 0)
    let storage = try clock.measure { answer = try readThroughStorage() }
    precondition(answer == (rows, checksum))
    if round > 0 { ratios.append(storage / reference) }
    if round == 20 { print("C \(reference), storage protocol \(storage)") }
}
ratios.sort()
print("ratio median \(ratios[ratios.count / 2]) min \(ratios[0]) max \(ratios[ratios.count - 1])")
