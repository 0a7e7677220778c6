#if SQLite
    import Foundation
    import VigilSQLite
    import VigilStorage
    import VigilTesting
    import XCTest

    /// Compares the reports with triggers, with the pre-update hook, and with neither.
    final class RowImageTriggersRandomTests: XCTestCase {
        private final class Side {
            let connection: any StorageConnection
            let sink = RecordingSink()

            init(_ backend: SQLiteBackend, interest: ChangeInterest) throws {
                connection = try backend.open(.memory(name: nil), options: StorageOptions())
                try connection.run(RandomWrites.schema)
                connection.report(to: sink, interest: interest)
            }

            /// Returns the error's code and message, or `nil` on success.
            func run(_ sql: String) -> String? {
                sink.removeAll()
                do {
                    try connection.run(sql)
                    return nil
                } catch {
                    return (error as? StorageError).map { "\($0.code): \($0.message)" } ?? "\(error)"
                }
            }

            var counts: [Int64] {
                [
                    Int64(connection.changesCount), Int64(connection.totalChangesCount),
                    connection.lastInsertedRowID,
                ]
            }
        }

        func testTriggersReportAtMostWhatTheHookReports() throws {
            let (first, rounds) = (RandomTestSettings.seed, RandomTestSettings.rounds(2))
            print("row images: VIGIL_SEED=\(first)")
            var imageCount = 0
            for seed in first..<(first + UInt64(rounds)) {
                try runRound(seed: seed, interest: seed % 2 == 0 ? .everyRow : .changes, &imageCount)
                guard testRun?.failureCount == 0 else { return print("failed with seed \(seed)") }
            }
            print("\(imageCount) rows with values")
            XCTAssertGreaterThan(imageCount, rounds * 50)
        }

        private func runRound(seed: UInt64, interest: ChangeInterest, _ imageCount: inout Int) throws {
            var writes = RandomWrites(seed: seed)
            let hook = try Side(SQLiteBackend(), interest: .everyRow)
            let plain = try Side(SQLiteBackend(ignoresPreupdateHook: true), interest: .everyRow)
            let test = try Side(SQLiteBackend(ignoresPreupdateHook: true), interest: interest)
            let tables = ["p", "c", "d", "log", "w"].map { TableName(name: $0) }
            try test.connection.provideImages(
                of: tables + [
                    TableName(schema: "temp", name: "scratch"), TableName(schema: "other", name: "p"),
                ])
            for step in 0..<120 {
                let sql = writes.statement()
                let context = "seed \(seed), step \(step): \(sql)"
                let outcome = hook.run(sql)
                XCTAssertEqual(plain.run(sql), outcome, context)
                XCTAssertEqual(test.run(sql), outcome, context)
                XCTAssertEqual(test.counts, hook.counts, context)
                assertReported(test.sink, asBy: hook.sink, context)
                if interest == .everyRow { assertOrder(test.sink, asBy: plain.sink, context) }
                imageCount += test.sink.rows.count(where: \.hasImages)
                guard testRun?.failureCount == 0 else { return }
            }
            for table in RandomWrites.tables {
                let query = "SELECT * FROM \(table)"
                XCTAssertEqual(
                    try? test.connection.run(query), try? hook.connection.run(query), "seed \(seed): \(table)"
                )
            }
        }

        /// Asserts that the hook reported each row with values, and that each row of the hook is covered.
        private func assertReported(_ sink: RecordingSink, asBy hook: RecordingSink, _ context: String) {
            var unreported = hook.rows
            for row in sink.rows where row.hasImages {
                guard let match = unreported.firstIndex(where: { $0.isSame(as: row) }) else {
                    return XCTFail("\(context): the hook did not report \(row), but \(hook.rows)")
                }
                unreported.remove(at: match)
            }
            let coarse = sink.records.filter {
                if case .row(let row) = $0 { !row.hasImages } else { true }
            }
            for row in unreported {
                let isCovered = coarse.contains { record in
                    switch record {
                    case .row(let other):
                        other.table == row.table && other.kind == row.kind && other.newKey == row.newKey
                            && other.oldKey == row.oldKey
                    case .table(let table): table == row.table
                    case .database: true
                    case .willCommit, .didRollback: false
                    }
                }
                XCTAssertTrue(isCovered, "\(context): \(row) is not reported by \(sink.lines)")
            }
        }

        /// Asserts the same reports in the same order as without triggers, apart from values and coarse
        /// reports.
        private func assertOrder(_ sink: RecordingSink, asBy plain: RecordingSink, _ context: String) {
            func outline(_ sink: RecordingSink) -> [String] {
                sink.records.compactMap { record in
                    switch record {
                    case .row(let row):
                        "\(row.kind) \(row.table) \([row.kind == .delete ? row.oldKey : row.newKey])"
                    case .table, .database: nil
                    case .willCommit: "commit"
                    case .didRollback: "rollback"
                    }
                }
            }
            let expected = outline(plain)
            // A transaction without changes commits without a report. Dropping triggers in favor of an
            // existing table counts as a change.
            let found = outline(sink).filter { !expected.isEmpty || $0 != "commit" }
            XCTAssertEqual(found, expected, context)
        }
    }

    extension RecordingSink.Row {
        /// Returns whether both are the same change. Columns that only one of them knows are ignored.
        fileprivate func isSame(as other: RecordingSink.Row) -> Bool {
            func agree(_ a: [String: StorageValue]?, _ b: [String: StorageValue]?) -> Bool {
                guard let a, let b else { return a == nil && b == nil }
                return a.allSatisfy { column, value in b[column].map { isSame(value, $0) } ?? true }
            }
            // SQLite 3.40's hook reports a real number without fraction as the integer that is stored.
            func isSame(_ a: StorageValue, _ b: StorageValue) -> Bool {
                if case .integer(let integer) = a, case .real(let real) = b { return Double(integer) == real }
                return a == b
            }
            return table == other.table && kind == other.kind && oldKey == other.oldKey
                && newKey == other.newKey && agree(oldValues, other.oldValues)
                && agree(newValues, other.newValues)
        }
    }
#endif
