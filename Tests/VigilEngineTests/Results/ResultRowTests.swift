import Vigil
import VigilEngine
import XCTest

/// Tests the rows of results that are kept: when they are looked up, and that fetches share them.
final class ResultRowTests: XCTestCase {
    private static let counts = "SELECT team, COUNT(*), SUM(score) FROM player GROUP BY team"

    /// A started observation of rows.
    private final class RowFixture {
        let writer: any DatabaseWriter
        private let fetch: @Sendable (Database) throws -> [Row]
        private let values = Recorder<[Row]>()
        private var cancellable: AnyDatabaseCancellable?

        init(
            _ writer: any DatabaseWriter, _ fetch: @escaping @Sendable (Database) throws -> [Row]
        ) throws {
            (self.writer, self.fetch) = (writer, fetch)
            cancellable = ValueObservation.tracking(fetch).start(
                in: writer, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: values.append)
            try writer.waitForFetches()
        }

        deinit { cancellable?.cancel() }

        /// Writes, compares the value with fresh rows, and returns it.
        @discardableResult
        func write(_ sql: String, file: StaticString = #filePath, line: UInt = #line) throws -> [Row] {
            try writer.write { db in try db.execute(sql: sql) }
            try writer.waitForFetches()
            let rows = try XCTUnwrap(values.all.last)
            XCTAssertEqual(rows, try writer.read(fetch), sql, file: file, line: line)
            return rows
        }

        var valueCount: Int { values.all.count }
        var updateCount: Int { writer.observations.first?.results.first?.updateCount ?? 0 }
    }

    /// A closure with several results looks up the rows of those that read what has changed.
    func testResultsThatDoNotReadAChangedColumnAreNotLookedUp() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(
                writer,
                [
                    "SELECT SUM(score) FROM player", "SELECT COUNT(*) FROM player",
                    "SELECT team, COUNT(name) FROM player GROUP BY team",
                    "SELECT COUNT(*) FROM player WHERE team = 2",
                ])
            for score in 1...3 {
                try fixture.write("UPDATE player SET name = 'Eve\(score)', score = \(score), team = 2")
                try fixture.write("UPDATE player SET team = 1 WHERE id < 3")
            }
            let before = try fixture.statistics()
            XCTAssertEqual(before.compactMap(\.failure), [])
            for score in 4...6 { try fixture.write("UPDATE player SET score = \(score) WHERE id = 1") }
            func differences(_ value: (ResultStatistics) -> Int) throws -> [Int] {
                try zip(before, fixture.statistics()).map { value($1) - value($0) }
            }
            XCTAssertEqual(try differences(\.updateCount), [3, 3, 3, 3])
            XCTAssertEqual(try differences(\.rowCount), [3, 0, 0, 0])
            try fixture.write("UPDATE player SET team = 2 WHERE id = 1")
            XCTAssertEqual(try differences(\.rowCount), [3, 0, 1, 1])
            try fixture.write("INSERT INTO player VALUES (9, 1, 'Fay', 3)")
            XCTAssertEqual(try differences(\.rowCount), [4, 1, 2, 2])
            try fixture.write("DELETE FROM player WHERE id = 9")
        }
    }

    /// A result need not read row ids to depend on them: its contributions are found by them.
    func testMovedRowsAreFoundByResultsThatDoNotReadThem() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(
                writer,
                [
                    "SELECT SUM(score) FROM player", "SELECT COUNT(*) FROM player",
                    "SELECT team, COUNT(name) FROM player GROUP BY team",
                ])
            for score in 1...3 { try fixture.write("UPDATE player SET score = \(score)") }
            try fixture.write("UPDATE player SET id = id + 100 WHERE id <= 2")
            try fixture.write("DELETE FROM player WHERE id = 101")
            try fixture.write("UPDATE player SET id = 1, name = NULL WHERE id = 102")
            try fixture.write("DELETE FROM player WHERE id = 1")
            XCTAssertEqual(try fixture.statistics().compactMap(\.failure), [])
        }
    }

    /// Rows from memory are all of the rows: which ones come first does not matter.
    func testAnUnreadIndexDoesNotMatterToAResult() throws {
        try onEachResultWriter { writer in
            try writer.write { db in try db.execute(sql: "CREATE INDEX player_name ON player(name, team)") }
            let fixture = try RowFixture(writer) { db in try Row.fetchAll(db, sql: Self.counts) }
            for score in 1...4 { try fixture.write("UPDATE player SET score = \(score) WHERE id = 1") }
            let count = fixture.valueCount
            for number in 1...3 { try fixture.write("UPDATE player SET name = 'Eve\(number)'") }
            XCTAssertEqual(fixture.valueCount, count)
        }
    }

    func testUnchangedRowsAreTheSameObjects() throws {
        try onEachResultWriter { writer in
            let fixture = try RowFixture(writer) { db in try Row.fetchAll(db, sql: Self.counts) }
            for score in 1...3 { try fixture.write("UPDATE player SET score = \(score) WHERE id = 1") }
            let before = try fixture.write("UPDATE player SET score = 4 WHERE id = 1")
            let after = try fixture.write("UPDATE player SET score = 5 WHERE id = 1")
            XCTAssertFalse(before[0] === after[0])
            XCTAssertTrue(before[1] === after[1])
            let more = try fixture.write("INSERT INTO player VALUES (9, NULL, 'Eve', 1)")
            XCTAssertTrue(more[1] === after[0] && more[2] === after[1])
            let fewer = try fixture.write("DELETE FROM player WHERE team = 1")
            XCTAssertTrue(fewer[0] === more[0] && fewer[1] === more[2])
            XCTAssertGreaterThan(fixture.updateCount, 4)
        }
    }

    /// Associated rows are added to the rows of each fetch, and not to rows of earlier values.
    func testRowsWithAssociationsAreNotShared() throws {
        struct Player: TableRecord {}
        struct Team: TableRecord { static let players = hasMany(Player.self, using: ForeignKey(["team"])) }
        try onEachResultWriter { writer in
            let fixture = try RowFixture(writer) { db in
                try Row.fetchAll(db, Team.including(all: Team.players).order(Column("name")))
            }
            for number in 1...3 { try fixture.write("UPDATE team SET name = 'A\(number)' WHERE id = 1") }
            let before = try fixture.write("UPDATE player SET score = 77 WHERE id = 1")
            XCTAssertEqual(before[0].prefetchedRows["players"]?.map { $0["score"] as Int }, [77, 30])
            let after = try fixture.write("UPDATE player SET score = 78 WHERE id = 1")
            XCTAssertEqual(before[0].prefetchedRows["players"]?.map { $0["score"] as Int }, [77, 30])
            XCTAssertEqual(after[0].prefetchedRows["players"]?.map { $0["score"] as Int }, [78, 30])
            XCTAssertGreaterThan(fixture.updateCount, 1)
        }
    }

    func testRowsHaveTheNamesOfRenamedColumns() throws {
        try onEachResultWriter { writer in
            guard try writer.read({ $0.supports(.renameColumn) }) else { return }
            let grouped = try RowFixture(writer) { db in try Row.fetchAll(db, sql: Self.counts) }
            let listed = try RowFixture(writer) { db in
                try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY score DESC, id")
            }
            for score in 1...3 { try grouped.write("UPDATE player SET score = \(score) WHERE id = 1") }
            try grouped.write("ALTER TABLE player RENAME COLUMN team TO Team")
            for score in 4...6 {
                let rows = try grouped.write("UPDATE player SET score = \(score) WHERE id = 1")
                XCTAssertTrue(rows.allSatisfy { $0.columnNames.first == "Team" })
                XCTAssertTrue(try listed.write("SELECT 1").allSatisfy { Array($0.columnNames)[1] == "Team" })
            }
        }
    }

    /// Rows that a writing statement returned do not change with its next run.
    func testReturnedRowsAreIndependent() throws {
        try onEachResultWriter { writer in
            try writer.write { db in
                guard db.supports(.returning) else { return }
                let statement = try db.makeStatement(
                    sql: "UPDATE player SET score = ? WHERE team = 1 RETURNING id, score")
                let first = try Row.fetchAll(statement, arguments: [5])
                let adapted = try Row.fetchAll(
                    statement, arguments: [6], adapter: RenameColumnAdapter { $0.uppercased() })
                XCTAssertEqual(first, [["id": 1, "score": 5], ["id": 2, "score": 5]])
                XCTAssertEqual(adapted, [["ID": 1, "SCORE": 6], ["ID": 2, "SCORE": 6]])
                XCTAssertEqual(try Row.fetchOne(statement, arguments: [7]), ["id": 1, "score": 7])
                XCTAssertEqual(
                    try Int.fetchAll(db, sql: "SELECT score FROM player WHERE team = 1"), [7, 7])
                XCTAssertEqual(try Row.fetchAll(statement, arguments: [8]).count, 2)
                XCTAssertEqual(first.map { $0["score"] as Int }, [5, 5])
            }
        }
    }
}
