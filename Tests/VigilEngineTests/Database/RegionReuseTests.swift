import VigilRegions
import VigilStorage
import VigilTestSupport
import XCTest

@testable import VigilEngine

/// A fetch with the statement and the arguments of the previous one reuses its region.
final class RegionReuseTests: XCTestCase {
    private func region(_ db: Database, _ sql: String, _ arguments: StatementArguments = [])
        throws -> DatabaseRegion
    {
        var region = DatabaseRegion()
        try db.recordingSelection(&region) { _ = try Row.fetchAll(db, sql: sql, arguments: arguments) }
        return try db.observable(region)
    }

    func testTheSameArgumentsReuseTheRegion() throws {
        try onEachFixture([.memory], [.queue]) { fixture in
            try fixture.writer.read { db in
                let first = try region(db, "SELECT a FROM t WHERE id = ?", [1])
                let second = try region(db, "SELECT a FROM t WHERE id = ?", [1])
                XCTAssertTrue(first.isSameInstance(as: second))
                XCTAssertFalse(first.isEmpty)
            }
        }
    }

    /// Unions are kept, whatever regions were united in the meantime.
    func testSeveralStatementsReuseTheirUnion() throws {
        try onEachFixture([.memory], [.queue]) { fixture in
            try fixture.writer.read { db in
                func both(_ id: Int) throws -> DatabaseRegion {
                    var region = DatabaseRegion()
                    try db.recordingSelection(&region) {
                        _ = try Row.fetchAll(db, sql: "SELECT id FROM t WHERE a = 1")
                        _ = try Row.fetchAll(db, sql: "SELECT a FROM t WHERE id = ?", arguments: [id])
                        _ = try Row.fetchAll(db, sql: "SELECT a FROM t WHERE a = ?", arguments: [-id])
                    }
                    let parts = try [
                        self.region(db, "SELECT a FROM t WHERE id = \(id)"),
                        self.region(db, "SELECT a FROM t WHERE a = \(-id)"),
                        self.region(db, "SELECT id FROM t WHERE a = 1"),
                    ]
                    XCTAssertEqual(region, parts.reduce(DatabaseRegion()) { $0.union($1) })
                    return region
                }
                let first = try both(1)
                XCTAssertTrue(try both(1).isSameInstance(as: first))
                XCTAssertEqual(first.debugDescription, try both(1).debugDescription)
                for id in 2..<20 { XCTAssertNotEqual(try both(id), first) }
                XCTAssertEqual(try both(1), first)
                XCTAssertTrue(try both(1).isSameInstance(as: both(1)))
            }
        }
    }

    func testOtherArgumentsHaveAnotherRegion() throws {
        try onEachFixture([.memory], [.queue]) { fixture in
            try fixture.writer.read { db in
                let values: [DatabaseValue] = [
                    1.databaseValue, 2.databaseValue, "1".databaseValue, .null, 1.databaseValue,
                ]
                for value in values {
                    let reused = try region(db, "SELECT a FROM t WHERE id = ?", [value])
                    let literal = try region(
                        db, "SELECT a FROM t WHERE id = \(value.storageValue.sqlLiteral)")
                    XCTAssertEqual(reused, literal, "\(value)")
                }
            }
        }
    }

    func testASchemaChangeDiscardsTheRegion() throws {
        try onEachFixture([.memory], [.queue]) { fixture in
            try fixture.writer.write { db in
                try db.execute(sql: "CREATE TABLE u(id INTEGER PRIMARY KEY, a)")
                try db.execute(sql: "CREATE VIEW v AS SELECT id, a FROM t")
                let before = try region(db, "SELECT a FROM v WHERE id = ?", [1])
                try db.execute(sql: "DROP VIEW v")
                try db.execute(sql: "CREATE VIEW v AS SELECT id, a FROM u")
                let after = try region(db, "SELECT a FROM v WHERE id = ?", [1])
                XCTAssertEqual(before.tables.map(\.table.name), ["t"])
                XCTAssertEqual(after.tables.map(\.table.name), ["u"])
                try db.execute(sql: "DROP VIEW v")
                try db.execute(sql: "CREATE TABLE v(id INTEGER PRIMARY KEY, a)")
                let table = try region(db, "SELECT a FROM v WHERE id = ?", [1])
                XCTAssertEqual(table.tables.map(\.table.name), ["v"])
            }
        }
    }

    func testAnObservationFollowsItsArguments() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            try fixture.writer.write { db in
                try db.execute(sql: "CREATE TABLE selected(id)")
                try db.execute(sql: "INSERT INTO selected VALUES (1)")
                try db.execute(sql: "INSERT INTO t(id, a) VALUES (101, 0), (102, 0)")
            }
            let values = Recorder<Int>()
            let cancellable = ValueObservation.tracking { db in
                let id = try Int.fetchOne(db, sql: "SELECT id FROM selected") ?? 0
                return try Int.fetchOne(db, sql: "SELECT a FROM t WHERE id = ?", arguments: [100 + id]) ?? -1
            }
            .start(
                in: fixture.writer, scheduling: immediately, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            try fixture.writer.commit("UPDATE t SET a = 1 WHERE id = 101")
            values.wait(for: 1)
            try fixture.writer.commit("UPDATE t SET a = 2 WHERE id = 102")
            try fixture.writer.commit("UPDATE selected SET id = 2")
            values.wait(for: 2)
            try fixture.writer.commit("UPDATE t SET a = 3 WHERE id = 101")
            try fixture.writer.commit("UPDATE t SET a = 4 WHERE id = 102")
            values.wait(for: 4)
            // Old SQLCipher fetches once more after it has created its triggers.
            let distinct = values.all.reduce(into: [Int]()) { if $0.last != $1 { $0.append($1) } }
            XCTAssertEqual(distinct, [0, 1, 2, 4])
            cancellable.cancel()
        }
    }
}
