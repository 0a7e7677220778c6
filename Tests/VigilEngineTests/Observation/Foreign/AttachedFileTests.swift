import Vigil
import XCTest

/// Commits of other connections to attached files.
final class AttachedFileTests: XCTestCase {
    private let countOther: @Sendable (Database) throws -> Int = { db in
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM other.t") ?? -1
    }

    private func observe(_ writer: any DatabaseWriter) -> (ArrivingValues<Int>, AnyDatabaseCancellable) {
        let values = ArrivingValues<Int>()
        let cancellable = ValueObservation.tracking(countOther).start(
            in: writer, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
        return (values, cancellable)
    }

    private func configuration(attaching file: DatabaseFile? = nil, backend: (any StorageBackend)? = nil)
        -> Configuration
    {
        var configuration = Configuration()
        configuration.foreignChanges = .observed
        configuration.backend = backend
        configuration.busyMode = .timeout(30)
        if let file {
            configuration.prepareDatabase { db in
                try db.execute(sql: "ATTACH ? AS other", arguments: [file.path])
            }
        }
        return configuration
    }

    func testCommitsToAnAttachedFileAreNoticed() throws {
        for journal in ["WAL", "DELETE"] {
            let (main, other) = (try DatabaseFile(for: self), try DatabaseFile(for: self))
            let writer = try other.openWriter(journal: journal)
            try writer.createTables()
            let configuration = configuration(attaching: other)
            let databases: [any DatabaseWriter] = [
                try DatabasePool(path: main.path, configuration: configuration),
                try DatabaseQueue(path: main.path, configuration: configuration),
                try DatabaseQueue(configuration: configuration),
            ]
            var count = 0
            for database in databases {
                let (values, cancellable) = observe(database)
                values.await(last: count)
                for _ in 0..<5 {
                    try writer.insert()
                    count += 1
                    values.await(last: count)
                }
                cancellable.cancel()
            }
        }
    }

    func testCommitsToTheMainFileAreStillNoticed() throws {
        let (main, other) = (try DatabaseFile(for: self), try DatabaseFile(for: self))
        let dbQueue = try DatabaseQueue(path: main.path, configuration: configuration(attaching: other))
        try dbQueue.createTables()
        let writer = try main.openWriter()
        let (values, cancellable) = dbQueue.observeCount(of: "t")
        for count in 1...5 {
            try writer.insert()
            values.await(last: count)
        }
        cancellable.cancel()
    }

    func testTheRegionOfAViewInAnAttachedFileFollowsItsDefinition() throws {
        let region = AnyDatabaseRegionConvertible { db in
            try db.makeStatement(sql: "SELECT a FROM other.v").databaseRegion
        }
        for observesValues in [false, true] {
            let (main, other) = (try DatabaseFile(for: self), try DatabaseFile(for: self))
            let writer = try other.openWriter()
            try writer.write { db in
                try db.execute(
                    sql: "CREATE TABLE one(a); CREATE TABLE two(a); CREATE VIEW v AS SELECT a FROM one")
            }
            let dbQueue = try DatabaseQueue(
                path: main.path, configuration: configuration(attaching: other, backend: HintingBackend()))
            let notified = FetchCount()
            let cancellable =
                observesValues
                ? ValueObservation.tracking(region: region) { _ in 1 }
                    .start(
                        in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                        onChange: { _ in notified.add() })
                : DatabaseRegionObservation(tracking: region)
                    .start(in: dbQueue, onError: { XCTFail("\($0)") }, onChange: { _ in notified.add() })
            try dbQueue.findForeignCommits()
            let count = notified.count
            try writer.write { db in
                try db.execute(sql: "DROP VIEW v; CREATE VIEW v AS SELECT a FROM two")
            }
            try dbQueue.findForeignCommits()
            XCTAssertEqual(notified.count, count + 1)
            try dbQueue.write { db in try db.execute(sql: "INSERT INTO other.two VALUES (1)") }
            XCTAssertEqual(notified.count, count + 2)
            cancellable.cancel()
        }
    }

    func testAFileThatIsAttachedLaterIsWatchedUntilItIsDetached() throws {
        let backend = HintingBackend()
        let (main, other) = (try DatabaseFile(for: self), try DatabaseFile(for: self))
        let writer = try other.openWriter()
        try writer.createTables()
        let dbQueue = try DatabaseQueue(path: main.path, configuration: configuration(backend: backend))
        try dbQueue.createTables()
        let (tables, cancellable) = dbQueue.observeCount(of: "t")
        tables.await(last: 0)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS other", arguments: [other.path])
        }
        XCTAssertEqual(backend.events.all, ["begun", "begun"])
        let (values, second) = observe(dbQueue)
        values.await(last: 0)
        try writer.insert()
        backend.hint()
        values.await(last: 1)
        second.cancel()
        try dbQueue.writeWithoutTransaction { db in try db.execute(sql: "DETACH other") }
        XCTAssertEqual(backend.events.all, ["begun", "begun", "ended"])
        cancellable.cancel()
        try dbQueue.close()
        XCTAssertEqual(backend.events.all, ["begun", "begun", "ended", "ended"])
    }

    func testAFileThatIsAttachedToAnObservedDatabaseInMemoryIsWatched() throws {
        let other = try DatabaseFile(for: self)
        let writer = try other.openWriter()
        try writer.createTables()
        let dbQueue = try DatabaseQueue(configuration: configuration())
        try dbQueue.createTables()
        let values = ArrivingValues<Int>()
        let cancellable = ValueObservation.tracking { [countOther] db in
            (try? countOther(db)) ?? -1
        }.start(
            in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
        values.await(last: -1)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS other", arguments: [other.path])
        }
        values.await(last: 0)
        for count in 1...3 {
            try writer.insert()
            values.await(last: count)
        }
        cancellable.cancel()
    }
}
