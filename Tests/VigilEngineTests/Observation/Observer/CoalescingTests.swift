import Synchronization
import Vigil
import XCTest

/// The number of values that observations deliver for commits.
final class CoalescingTests: XCTestCase {
    func testAQueueDeliversEachCommitInOrder() throws {
        try onEachFixture([.memory, .file]) { fixture in
            let observed = fixture.observe(rowCounts)
            try fixture.insert(20)
            observed.expect(Array(0...20))
        }
    }

    func testATransactionIsOneValue() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(rowCounts)
            observed.expect([0])
            try fixture.writer.commit("\(insertIntoT); \(insertIntoT); \(insertIntoT)")
            observed.expect([0, 3])
            try fixture.insert()
            observed.expect([0, 3, 4])
        }
    }

    func testACommitThatLeavesTheValueUnchangedIsAValue() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT MAX(+a) FROM t") ?? -1 })
            observed.expect([-1])
            try fixture.writer.commit("INSERT INTO t(a) VALUES (7)")
            observed.expect([-1, 7])
            try fixture.writer.commit("INSERT INTO t(a) VALUES (3)")
            observed.expect([-1, 7, 7])
        }
    }

    func testCommitsDuringAFetchOfAPoolAreFetchedOnceAfterwards() throws {
        try onEachPoolFixture { fixture, _ in
            let (fetching, free, fetches) = (Gate(), Gate(), FetchCount())
            let observed = fixture.observe(
                ValueObservation.tracking { db -> Int in
                    let count = try countRows(db)
                    fetches.add()
                    if count == 1 {
                        fetching.open()
                        free.wait()
                    }
                    return count
                })
            observed.expect([0])
            try fixture.insert()
            fetching.wait()
            try fixture.insert(9)
            free.open()
            observed.expect([0, 1, 10])
            try fixture.insert()
            observed.expect([0, 1, 10, 11])
            XCTAssertEqual(fetches.count, 4)
        }
    }

    func testOnlyUpdatesOfReadColumnsMatch() throws {
        for ignoresNoOpUpdates in [true, false] {
            var configuration = Configuration()
            configuration.ignoresNoOpUpdates = ignoresNoOpUpdates
            // The observation is registered when the start returns.
            try onEachFixture(WriterKind.allCases, [.immediate], configuration) { fixture in
                try fixture.insert()
                func isNotified(_ query: String, _ change: String) throws -> Bool {
                    let observed = fixture.observe(
                        ValueObservation.tracking { db in try Row.fetchAll(db, sql: query).count })
                    try fixture.writer.commit(change)
                    let status = try XCTUnwrap(fixture.writer.observations.first)
                    observed.cancel()
                    return status.changeCount > 0
                }
                // Without row images, the row may have moved.
                if fixture.writer.unsafeReentrantWrite({ $0.connection.capabilities.reportsRowImages }) {
                    XCTAssertFalse(try isNotified("SELECT a FROM t", "UPDATE t SET id = id"))
                }
                XCTAssertTrue(try isNotified("SELECT a FROM t", "UPDATE t SET a = 8"))
                if !ignoresNoOpUpdates {
                    XCTAssertTrue(try isNotified("SELECT COUNT(*) FROM t", "UPDATE t SET a = a + 1"))
                }
                for query in ["SELECT id FROM t", "SELECT COUNT(*) FROM t"] {
                    XCTAssertTrue(try isNotified(query, insertIntoT), query)
                    XCTAssertTrue(try isNotified(query, "DELETE FROM t WHERE id > 1"), query)
                }
                // A query also reads the columns of its conditions.
                XCTAssertTrue(try isNotified("SELECT COUNT(*) FROM t WHERE a > 5", "UPDATE t SET a = a + 1"))
            }
        }
    }

    func testNamesAreComparedWithoutCase() throws {
        try onEachFixture(schema: "CREATE TABLE Player(Id INTEGER PRIMARY KEY, Name)") { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking { db in
                    try String.fetchAll(db, sql: "SELECT nAME FROM pLAYER ORDER BY iD")
                })
            observed.expect([[]])
            try fixture.writer.commit("INSERT INTO PLAYER(name) VALUES ('a')")
            observed.expect([[], ["a"]])
            try fixture.writer.commit("UPDATE player SET NAME = 'b'")
            observed.expect([[], ["a"], ["b"]])
            let given = fixture.observe(
                ValueObservation.tracking(region: DatabaseRegion(table: "PLAYER", columns: ["NAME"])) { db in
                    try String.fetchOne(db, sql: "SELECT name FROM player")
                })
            given.expect(["b"])
            try fixture.writer.commit("UPDATE Player SET Name = 'c'")
            given.expect(["b", "c"])
        }
    }

    func testAnExternalContentFullTextTableIsObservedInAJoin() throws {
        let schema = """
            CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT);
            CREATE VIRTUAL TABLE note_ft USING fts4(content="note", body);
            CREATE TRIGGER note_bu BEFORE UPDATE ON note BEGIN DELETE FROM note_ft WHERE docid = old.id; END;
            CREATE TRIGGER note_au AFTER UPDATE ON note BEGIN
                INSERT INTO note_ft(docid, body) VALUES (new.id, new.body); END;
            CREATE TRIGGER note_ai AFTER INSERT ON note BEGIN
                INSERT INTO note_ft(docid, body) VALUES (new.id, new.body); END;
            INSERT INTO note(body) VALUES ('one');
            """
        let queries = [
            "SELECT COUNT(*) FROM note_ft WHERE note_ft MATCH 'two'",
            "SELECT COUNT(*) FROM note JOIN note_ft ON note_ft.docid = note.id AND note_ft MATCH 'two'",
        ]
        for query in queries {
            try onEachFixture(WriterKind.allCases, [.queue], schema: schema) { fixture in
                let observed = fixture.observe(
                    ValueObservation.tracking { db in try Int.fetchOne(db, sql: query) ?? -1 })
                observed.expect([0])
                try fixture.writer.commit("UPDATE note SET body = 'two'")
                observed.values.wait(for: 1)
                try fixture.writer.commit("INSERT INTO note(body) VALUES ('two')")
                observed.values.wait(for: 2)
                XCTAssertEqual(observed.values.all, observed.values.all.sorted())
            }
        }
    }
}
