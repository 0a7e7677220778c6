import Vigil
import XCTest

/// The events that observers receive.
final class TransactionEventTests: XCTestCase {
    func testInsertionsUpdatesAndDeletionsAreReportedWithTheirRowIDs() throws {
        try onEachObservedWriter { writer, observer in
            try writer.write { db in
                try db.execute(sql: "INSERT INTO artist VALUES (7, 'a'), (8, 'b')")
                try db.execute(sql: "UPDATE ARTIST SET NAME = 'c' WHERE id = 8")
                try db.execute(sql: "DELETE FROM artist WHERE id = 7")
            }
            XCTAssertEqual(
                observer.takeLog(),
                ["insert artist 7", "insert artist 8", "update artist 8", "delete artist 7"] + commit)
        }
    }

    func testAnEventHasTheSchemaOfItsTable() throws {
        try onEachWriter { writer in
            var names: [String] = []
            let observer = EventObserver { names.append("\($0.databaseName).\($0.tableName)") }
            writer.add(transactionObserver: observer)
            try writer.run("CREATE TEMP TABLE artist(id INTEGER PRIMARY KEY)")
            try writer.commit("INSERT INTO main.artist VALUES (1, ''); INSERT INTO temp.artist VALUES (1)")
            XCTAssertEqual(names, ["main.artist", "temp.artist"])
        }
    }

    func testOnlyObservedEventKindsAreReported() throws {
        try onEachWriter { writer in
            let deletions = RecordingObserver { kind in
                if case .delete = kind { true } else { false }
            }
            let titles = RecordingObserver { kind in
                if case .update("album", let columns) = kind { columns.contains("title") } else { false }
            }
            let deaf = RecordingObserver { _ in false }
            for observer in [deletions, titles, deaf] { writer.add(transactionObserver: observer) }
            try writer.write { db in
                try db.execute(sql: "INSERT INTO artist VALUES (1, ''); INSERT INTO album VALUES (1, 1, '')")
                try db.execute(sql: "UPDATE album SET artist = NULL; UPDATE artist SET name = 'z'")
                try db.execute(sql: "UPDATE album SET title = 'z', artist = 1")
                try db.execute(sql: "DELETE FROM artist")
            }
            XCTAssertEqual(deletions.log, ["delete artist 1", "delete album 1"] + commit)
            XCTAssertEqual(titles.log, ["update album 1"] + commit)
            XCTAssertEqual(deaf.log, commit)
        }
    }

    func testObserversSelectEventKindsAtEachRunOfAStatement() throws {
        try onEachObservedWriter { writer, observer in
            try writer.write { db in
                let statement = try db.makeStatement(sql: "INSERT INTO artist(name) VALUES ('a')")
                observer.observes = { _ in false }
                try statement.execute()
                observer.observes = { _ in true }
                try statement.execute()
            }
            XCTAssertEqual(observer.log, ["insert artist 2"] + commit)
        }
    }

    func testForeignKeyActionsAreReportedOneByOneToTheirObservers() throws {
        try onEachObservedWriter { writer, observer in
            let albums = RecordingObserver { $0.tableName == "album" }
            try writer.commit(
                "INSERT INTO artist VALUES (1, ''); INSERT INTO album VALUES (1, 1, ''), (2, 1, '')")
            _ = observer.takeLog()
            writer.add(transactionObserver: albums)
            try writer.commit("DELETE FROM artist WHERE id = 1")
            XCTAssertEqual(
                observer.log.sorted(),
                (["delete album 1", "delete album 2", "delete artist 1"] + commit).sorted())
            XCTAssertEqual(albums.log.sorted(), (["delete album 1", "delete album 2"] + commit).sorted())
        }
    }

    func testTriggerEffectsAreReportedWithTheirTableAndRow() throws {
        let trigger = """
            CREATE TABLE log(id INTEGER PRIMARY KEY);
            CREATE TRIGGER note AFTER INSERT ON artist BEGIN INSERT INTO log VALUES (NEW.id * 10); END;
            """
        try onEachObservedWriter(schema: twoTables + trigger) { writer, observer in
            let artists = RecordingObserver { $0.tableName == "artist" }
            writer.add(transactionObserver: artists)
            try writer.commit("INSERT INTO artist VALUES (4, '')")
            XCTAssertEqual(observer.log, ["insert artist 4", "insert log 40"] + commit)
            XCTAssertEqual(artists.log, ["insert artist 4"] + commit)
        }
    }

    func testAnUpdateOfTheOnlyColumnIsAnEvent() throws {
        try onEachObservedWriter(schema: "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (3)") {
            writer, observer in
            try writer.commit("UPDATE t SET id = id WHERE id = 3")
            XCTAssertEqual(observer.log, ["update t 3"] + commit)
        }
    }

    func testAnInsertionThroughACursorIsReportedAndCommitted() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                let cursor = try Row.fetchCursor(db, sql: "INSERT INTO artist VALUES (1, 'a')")
                XCTAssertNil(try cursor.next())
                XCTAssertEqual(observer.log, ["insert artist 1"] + commit)
            }
        }
    }

    func testAStatementOlderThanTheObserverIsReported() throws {
        try onEachWriter { writer in
            let observer = RecordingObserver()
            try writer.writeWithoutTransaction { db in
                let statement = try db.makeStatement(sql: "INSERT INTO artist(name) VALUES ('a')")
                let cached = try db.cachedStatement(sql: "UPDATE artist SET name = 'b'")
                try statement.execute()
                try cached.execute()
                db.add(transactionObserver: observer)
                try statement.execute()
                try db.cachedStatement(sql: "UPDATE artist SET name = 'b'").execute()
            }
            XCTAssertEqual(
                observer.log, ["insert artist 2"] + commit + ["update artist 1", "update artist 2"] + commit)
        }
    }

    func testARemovedObserverIsNotNotified() throws {
        try onEachObservedWriter { writer, observer in
            let other = RecordingObserver()
            writer.add(transactionObserver: other)
            try writer.write { db in
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                    db.remove(transactionObserver: observer)
                    return .commit
                }
            }
            XCTAssertEqual(observer.log, [])
            XCTAssertEqual(other.log, ["insert artist 1"] + commit)
        }
    }

    func testRowsWithoutRowIDCommitWithoutAnEvent() throws {
        try onEachObservedWriter(schema: "CREATE TABLE t(name TEXT PRIMARY KEY) WITHOUT ROWID") {
            writer, observer in
            try writer.commit("INSERT INTO t VALUES ('x'); UPDATE t SET name = 'y'; DELETE FROM t")
            XCTAssertEqual(observer.log, commit)
        }
    }

    func testAMovedRowIsReportedWithItsNewRowID() throws {
        try onEachObservedWriter { writer, observer in
            try writer.run("INSERT INTO artist VALUES (1, '')")
            _ = observer.takeLog()
            try writer.run("UPDATE artist SET id = 9 WHERE id = 1")
            XCTAssertEqual(observer.log, ["update artist 9"] + commit)
        }
    }

    func testShadowTablesAreReportedToObserversOfTheWholeStatement() throws {
        try onEachWriter(schema: "CREATE VIRTUAL TABLE note USING fts4(body)") { writer in
            let all = RecordingObserver()
            let region = DatabaseRegion(table: "note")
            let notes = RecordingObserver { region.isModified(byEventsOfKind: $0) }
            let others = RecordingObserver { $0.tableName == "other" }
            for observer in [all, notes, others] { writer.add(transactionObserver: observer) }
            try writer.commit("INSERT INTO note VALUES ('abc')")
            XCTAssertTrue(all.log.contains { $0.hasPrefix("insert note_content") }, "\(all.log)")
            XCTAssertTrue(notes.log.contains { $0.hasPrefix("insert note") }, "\(notes.log)")
            XCTAssertEqual(others.log, commit)
        }
    }

    /// The library's update hook, which other tools use, does not report the replaced row either.
    func testAReplacedRowIsReportedAsInserted() throws {
        let schema = """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE); INSERT INTO t VALUES (1, 'a'), (2, 'b')
            """
        try onEachWriter(schema: schema) { writer in
            let all = RecordingObserver()
            let insertions = RecordingObserver { kind in if case .insert = kind { true } else { false } }
            for observer in [all, insertions] { writer.add(transactionObserver: observer) }
            try writer.run("INSERT OR REPLACE INTO t VALUES (1, 'b')")
            XCTAssertEqual(insertions.takeLog(), ["insert t 1"] + commit)
            XCTAssertEqual(all.takeLog(), ["insert t 1"] + commit)
            try writer.run("INSERT INTO t VALUES (3, 'c'); UPDATE OR REPLACE t SET a = 'c' WHERE id = 1")
            XCTAssertEqual(all.takeLog(), ["insert t 3"] + commit + ["update t 1"] + commit)
        }
    }

    /// The writes to the tables with its content are not announced by the compilation of a statement.
    func testEachChangeOfAFullTextTableIsReported() throws {
        let schema = """
            CREATE VIRTUAL TABLE note USING fts4(body); CREATE TABLE doc(id INTEGER PRIMARY KEY, body);
            CREATE TRIGGER copy AFTER INSERT ON doc
            BEGIN INSERT INTO note(docid, body) VALUES (NEW.id + 100, NEW.body); END;
            """
        try onEachWriter(schema: schema) { writer in
            let region = DatabaseRegion(table: "note")
            let notes = RecordingObserver { region.isModified(byEventsOfKind: $0) }
            writer.add(transactionObserver: notes)
            for sql in [
                "INSERT INTO note VALUES ('a')", "INSERT INTO note VALUES ('a')",
                "INSERT INTO doc(body) VALUES ('a')", "INSERT INTO doc(body) VALUES ('a')",
            ] {
                try writer.run(sql)
                XCTAssertTrue(notes.takeLog().contains { $0.hasPrefix("insert note") }, sql)
            }
        }
    }
}

/// Forwards events to a closure.
private final class EventObserver: TransactionObserver {
    private let body: (DatabaseEvent) -> Void

    init(_ body: @escaping (DatabaseEvent) -> Void) { self.body = body }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { body(event) }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
