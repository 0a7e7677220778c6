import Vigil
import VigilEngine
import VigilStorage
import XCTest

/// The last row that a fetch has read bounds the rows that matter.
final class BoundedRegionTests: XCTestCase {
    private static let schema = """
        CREATE TABLE message(id INTEGER PRIMARY KEY, room INTEGER, date INTEGER, text TEXT COLLATE NOCASE);
        INSERT INTO message VALUES (1, 1, 10, 'a'), (2, 1, 20, 'b'), (3, 1, 30, 'c'), (4, 2, 40, 'd');
        """

    /// Observes the rows of `fetch`, commits each write, and compares the writes after which it fetched again
    /// with those that are expected.
    private func expect(
        _ expected: [String], of writes: [String], schema: String = schema,
        file: StaticString = #filePath, line: UInt = #line,
        fetch: @escaping @Sendable (Database) throws -> Void
    ) throws {
        try onEachQueue(schema: schema) { dbQueue in
            let hasImages = try dbQueue.read { $0.connection.capabilities.reportsRowImages }
            let fetches = Recorder<Void>()
            let cancellable = ValueObservation.tracking { db in
                fetches.append(())
                try fetch(db)
            }.start(in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { _ in })
            // The initial fetch comes first.
            try dbQueue.read { _ in }
            var found: [String] = []
            for write in writes {
                let count = fetches.all.count
                try dbQueue.write { db in try db.execute(sql: write) }
                if fetches.all.count > count { found.append(write) }
            }
            if hasImages {
                XCTAssertEqual(found, expected, file: file, line: line)
            } else {
                // A bound alone makes no triggers.
                XCTAssertEqual(expected.filter { !found.contains($0) }, [], file: file, line: line)
            }
            cancellable.cancel()
        }
    }

    private static let writes = [
        "UPDATE message SET text = 'x' WHERE id = 1", "UPDATE message SET date = 5 WHERE id = 1",
        "INSERT INTO message VALUES (5, 3, 15, 'e')", "DELETE FROM message WHERE id = 5",
        "UPDATE message SET text = 'y' WHERE id = 3", "UPDATE message SET date = 30 WHERE id = 1",
    ]

    func testAChangeBehindTheLastRowOfALimitMatchesNothing() throws {
        try expect(Array(Self.writes.suffix(2)), of: Self.writes) { db in
            _ = try Row.fetchAll(db, sql: "SELECT * FROM message ORDER BY date DESC LIMIT 2")
        }
        try expect(Array(Self.writes.suffix(2)), of: Self.writes) { db in
            _ = try Row.fetchAll(
                db, sql: "SELECT * FROM message ORDER BY date DESC LIMIT ? OFFSET 1", arguments: [1])
        }
    }

    func testAChangeBehindTheLastRowThatWasReadMatchesNothing() throws {
        try expect(Array(Self.writes.suffix(2)), of: Self.writes) { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM message ORDER BY date DESC")
            _ = try rows.next()
            _ = try rows.next()
        }
        let first = ["INSERT INTO message VALUES (5, 3, 40, 'e')"]
        try expect(first, of: Self.writes.prefix(4) + first) { db in
            _ = try Row.fetchOne(db, sql: "SELECT * FROM message ORDER BY date DESC")
        }
    }

    func testAResultWithLessRowsThanTheLimitHasNoBound() throws {
        try expect(Self.writes, of: Self.writes) { db in
            _ = try Row.fetchAll(db, sql: "SELECT * FROM message ORDER BY date DESC LIMIT 20")
        }
        try expect(Self.writes, of: Self.writes) { db in
            _ = try Row.fetchAll(db, sql: "SELECT * FROM message ORDER BY date DESC")
        }
    }

    func testMaximumAndMinimum() throws {
        let writes = [
            "UPDATE message SET date = 35 WHERE id = 1", "INSERT INTO message VALUES (5, 1, NULL, 'e')",
            "UPDATE message SET date = 40 WHERE id = 2", "UPDATE message SET date = 5 WHERE id = 4",
        ]
        try expect(Array(writes.suffix(2)), of: writes) { db in
            _ = try Int.fetchOne(db, sql: "SELECT MAX(date) FROM message")
        }
        try expect([writes[0], writes[2], writes[3]], of: writes) { db in
            _ = try Int.fetchOne(db, sql: "SELECT MIN(date) FROM message")
        }
    }

    func testATextEqualToANumberBoundsNothing() throws {
        let schema = """
            CREATE TABLE t(id INTEGER PRIMARY KEY, c TEXT, o TEXT);
            CREATE TABLE u(id INTEGER PRIMARY KEY, n INTEGER);
            INSERT INTO u VALUES (1, 1); INSERT INTO t VALUES (1, '1', 'b'), (2, '1.0', 'a'), (3, ' 1', 'c');
            """
        let writes = ["INSERT INTO t VALUES (0, '01', 'z')"]
        for sql in [
            "SELECT t.c, t.o FROM u JOIN t ON t.c = u.n WHERE u.id = 1 ORDER BY t.c, t.o LIMIT 2",
            "SELECT c, o FROM t WHERE c = CAST('1' AS INTEGER) ORDER BY c, o LIMIT 2",
            "SELECT MAX(c) FROM t WHERE c = CAST('1' AS INTEGER)",
        ] {
            try expect(writes, of: writes, schema: schema) { db in _ = try Row.fetchAll(db, sql: sql) }
        }
    }

    func testNullComesFirst() throws {
        let writes = [
            "INSERT INTO message VALUES (5, 1, NULL, 'e')", "UPDATE message SET date = 7 WHERE id = 4",
        ]
        try expect([writes[0]], of: writes) { db in
            _ = try Row.fetchOne(db, sql: "SELECT * FROM message ORDER BY date")
        }
    }

    func testTextIsComparedWithTheCollationOfTheOrder() throws {
        let writes = [
            "UPDATE message SET text = 'B' WHERE id = 1", "UPDATE message SET text = 'D' WHERE id = 1",
        ]
        try expect([writes[1]], of: writes) { db in
            _ = try Row.fetchOne(db, sql: "SELECT * FROM message ORDER BY text DESC")
        }
    }

    func testAnotherRunOfTheFetchHasItsOwnBound() throws {
        try expect([Self.writes[5]], of: [Self.writes[1], Self.writes[5]]) { db in
            for room in [1, 2] {
                let rows = try Row.fetchCursor(
                    db, sql: "SELECT * FROM message WHERE room = ? ORDER BY date DESC", arguments: [room])
                _ = try rows.next()
            }
        }
        // The first run bounds less.
        let writes = [
            "INSERT INTO message VALUES (5, 3, 15, 'e')", "INSERT INTO message VALUES (6, 3, 25, 'e')",
        ]
        try expect([writes[1]], of: writes) { db in
            for limit in [3, 1] {
                _ = try Row.fetchAll(
                    db, sql: "SELECT * FROM message ORDER BY date DESC LIMIT ?", arguments: [limit])
            }
        }
    }

    private static let players = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, team INT, score INT, name, note, code TEXT UNIQUE);
        CREATE INDEX byTeam ON player(team, score);
        INSERT INTO player VALUES (1, 5, 3, 'a', '', 'x'), (2, 5, 2, 'b', '', 'y'), (3, 6, 1, 'c', '', 'z');
        """
    private static let updates = [
        "UPDATE player SET note = 'n' WHERE id = 2", "UPDATE player SET score = 9 WHERE id = 2",
    ]

    /// The library reads the rows of an incomplete order in the order of an index.
    func testTheColumnsOfIndexesDecideTheFirstRows() throws {
        for sql in [
            "SELECT name FROM player WHERE team = 5 LIMIT 1", "SELECT DISTINCT name FROM player LIMIT 1",
            "SELECT name, team FROM player ORDER BY team LIMIT 1",
            "SELECT name FROM (SELECT name FROM player LIMIT 2)",
        ] {
            try expect([Self.updates[1]], of: Self.updates, schema: Self.players) { db in
                _ = try Row.fetchAll(db, sql: sql)
            }
        }
        try expect([Self.updates[1]], of: Self.updates, schema: Self.players) { db in
            _ = try Row.fetchOne(db, sql: "SELECT name FROM player WHERE team = 5")
        }
        try expect([Self.updates[1]], of: Self.updates, schema: Self.players) { db in
            _ = try Row.fetchCursor(db, sql: "SELECT name, team FROM player ORDER BY team").next()
        }
    }

    func testTheFirstRowInTheOrderOfAnIndexIsObserved() throws {
        let sql = "SELECT name FROM player WHERE team = 5 LIMIT 1"
        try onEachQueue(schema: Self.players) { dbQueue in
            let values = Recorder<String>()
            let cancellable = ValueObservation.tracking { db in try String.fetchOne(db, sql: sql) ?? "" }
                .start(
                    in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
            try dbQueue.write { db in try db.execute(sql: Self.updates[1]) }
            XCTAssertEqual(values.all.last, try dbQueue.read { db in try String.fetchOne(db, sql: sql) })
            cancellable.cancel()
        }
    }

    /// The values of such columns come from one of the rows.
    func testColumnsOutsideOfAggregatesDependOnIndexes() throws {
        for sql in [
            "SELECT name, COUNT(*) FROM player WHERE team = 5",
            "SELECT name, MAX(team) FROM player WHERE team = 5",
            "SELECT upper(name) || COUNT(*) FROM player WHERE team = 5",
            "SELECT name, COUNT(*) FROM player WHERE team = 5 ORDER BY id",
        ] {
            try expect([Self.updates[1]], of: Self.updates, schema: Self.players) { db in
                _ = try Row.fetchOne(db, sql: sql)
            }
            try expect([Self.updates[1]], of: Self.updates, schema: Self.players) { db in
                _ = try Row.fetchAll(db, sql: sql + " LIMIT 1")
            }
        }
    }

    func testACompleteOrderDependsOnNoIndex() throws {
        for sql in [
            "SELECT name FROM player ORDER BY name, id LIMIT 2",
            "SELECT name FROM player ORDER BY rowid LIMIT 2",
            "SELECT name FROM player WHERE id = 2 LIMIT 1",
            "SELECT name FROM player WHERE code = 'y' LIMIT 1",
            "SELECT COUNT(*) FROM player LIMIT 1", "SELECT name FROM player",
        ] {
            try expect([], of: Self.updates, schema: Self.players) { db in
                _ = try Row.fetchAll(db, sql: sql)
            }
        }
        for sql in [
            "SELECT COUNT(*) FROM player", "SELECT MAX(name), COUNT(id) FROM player",
            "SELECT COUNT(*) AS n, coalesce(MAX(name), '') top FROM player",
            "SELECT name FROM player WHERE id = 2", "SELECT EXISTS (SELECT 1 FROM player WHERE team = 5)",
            "SELECT COUNT(*) FROM (SELECT DISTINCT name FROM player)",
        ] {
            try expect([], of: Self.updates, schema: Self.players) { db in
                _ = try Row.fetchOne(db, sql: sql)
            }
        }
    }

    func testACursorThatOutlivesTheFetchHasNoBound() throws {
        try onEachQueue(schema: Self.schema) { dbQueue in
            var region = DatabaseRegion()
            try dbQueue.read { db in
                let cursor = try db.recording(&region, boundsResults: true) {
                    let rows = try Row.fetchCursor(db, sql: "SELECT * FROM message ORDER BY date DESC")
                    _ = try rows.next()
                    return rows
                }
                _ = try cursor.next()
            }
            XCTAssertEqual(region.debugDescription, "message(date,id,room,text)")
        }
    }

    func testRegionsThatAreReadOnceHaveNoBound() throws {
        let sql = "SELECT * FROM message ORDER BY date DESC LIMIT 1"
        try onEachQueue(schema: Self.schema) { dbQueue in
            let recorded = try dbQueue.read { db in
                var region = DatabaseRegion()
                try db.recordingSelection(&region) { _ = try Row.fetchOne(db, sql: sql) }
                return region
            }
            XCTAssertEqual(recorded.debugDescription, "message(date,id,room,text)")
            let values = Recorder<Int64>()
            let observation = ValueObservation.trackingConstantRegion { db in
                try Int64.fetchOne(db, sql: "SELECT id FROM message ORDER BY id LIMIT 1") ?? 0
            }
            let cancellable = observation.start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            try dbQueue.write { db in try db.execute(sql: "DELETE FROM message WHERE id = 1") }
            try dbQueue.write { db in try db.execute(sql: "DELETE FROM message WHERE id = 2") }
            XCTAssertEqual(values.all, [1, 2, 3])
            cancellable.cancel()
        }
    }
}
