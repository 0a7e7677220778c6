import Foundation
import VigilStorage
import VigilTesting
import XCTest

/// Applies the reported row changes to a copy of the tables, and compares the copy with the tables.
///
/// The comparison needs no pre-update hook, so it also covers libraries without one.
final class RowImageTriggersReplayTests: XCTestCase {
    private typealias Rows = [Int64: [String: StorageValue]]

    private let tables = [
        TableName(name: "p"), TableName(name: "c"), TableName(name: "d"), TableName(name: "log"),
        TableName(schema: "temp", name: "scratch"), TableName(schema: "other", name: "p"),
    ]

    func testReplayedRowChangesReproduceTheTables() throws {
        let (first, rounds) = (RandomTestSettings.seed, RandomTestSettings.rounds(2))
        print("row images: VIGIL_SEED=\(first)")
        for named in NamedBackend.withoutHook {
            var replayCount = 0
            for seed in first..<(first + UInt64(rounds)) {
                try runRound(named, seed: seed, &replayCount)
                guard testRun?.failureCount == 0 else { return }
            }
            print("\(named.name): \(replayCount) rows replayed")
            XCTAssertGreaterThan(replayCount, rounds * 20, named.name)
        }
    }

    private func runRound(_ named: NamedBackend, seed: UInt64, _ replayCount: inout Int) throws {
        let connection = try named.open(RandomWrites.schema)
        let sink = RecordingSink()
        connection.report(to: sink, interest: .changes)
        try connection.provideImages(of: tables)
        var writes = RandomWrites(seed: seed)
        var copy = rows(of: connection)
        for step in 0..<120 {
            let sql = writes.statement()
            let context = "\(named.name), seed \(seed), step \(step): \(sql)"
            sink.removeAll()
            var hasFailed = false
            do { try connection.run(sql) } catch { hasFailed = true }
            let isUndone = hasFailed || sql.hasPrefix("ROLLBACK") || sink.count(of: .didRollback) > 0
            var unknown = Set<TableName>()
            for record in sink.changes {
                switch record {
                case .database: unknown.formUnion(tables)
                case .table(let table): unknown.insert(table)
                case .row(let row) where !row.hasImages: unknown.insert(row.table)
                case .row(let row)
                where isUndone || unknown.contains(row.table) || !tables.contains(row.table): break
                case .row(let row):
                    replay(row, on: &copy[row.table, default: [:]], context)
                    replayCount += 1
                case .willCommit, .didRollback: break
                }
            }
            let after = rows(of: connection)
            for table in tables where !isUndone && !unknown.contains(table) {
                XCTAssertEqual(copy[table], after[table], "\(context): \(table)")
            }
            copy = after
            guard testRun?.failureCount == 0 else { return }
        }
    }

    private func replay(_ row: RecordingSink.Row, on rows: inout Rows, _ context: String) {
        if case .integer(let key)? = row.oldKey {
            XCTAssertEqual(rows[key], row.oldValues, "\(context): \(row)")
            rows[key] = nil
        }
        if case .integer(let key)? = row.newKey {
            XCTAssertNil(rows[key], "\(context): \(row)")
            rows[key] = row.newValues
        }
    }

    private func rows(of connection: any StorageConnection) -> [TableName: Rows] {
        tables.reduce(into: [:]) { result, table in
            // A dropped table has no rows.
            guard
                let statement = try? connection.prepare(
                    "SELECT rowid, * FROM \(table.schema).\(table.name)", fromUTF8Offset: 0, isCached: false
                ).statement
            else { return result[table] = [:] }
            var rows: Rows = [:]
            while (try? statement.step()) == true {
                var values: [String: StorageValue] = [:]
                for index in 1..<statement.row.count {
                    values[statement.columnNames[index]] = statement.row[index].value
                }
                rows[statement.row[0].integer] = values
            }
            statement.finalize()
            result[table] = rows
        }
    }
}
