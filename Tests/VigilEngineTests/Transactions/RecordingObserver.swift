import Vigil
import XCTest

/// A transaction observer that records its notifications.
final class RecordingObserver: TransactionObserver {
    private(set) var log: [String] = []
    var observes: (DatabaseEventKind) -> Bool = { _ in true }
    var onChange: (RecordingObserver) -> Void = { _ in }
    var onWillCommit: () throws -> Void = {}
    var onCommit: (Database) -> Void = { _ in }
    var onRollback: (Database) -> Void = { _ in }

    init(observes: @escaping (DatabaseEventKind) -> Bool = { _ in true }) {
        self.observes = observes
    }

    /// Returns and removes the notifications since the last call.
    func takeLog() -> [String] {
        defer { log = [] }
        return log
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { observes(eventKind) }

    func databaseDidChange(with event: DatabaseEvent) {
        log.append("\(event.kind) \(event.tableName) \(event.rowID)")
        onChange(self)
    }

    func databaseDidChange() {
        log.append("changed")
        onChange(self)
    }

    func databaseWillCommit() throws {
        log.append("will commit")
        try onWillCommit()
    }

    func databaseDidCommit(_ db: Database) {
        log.append("committed")
        onCommit(db)
    }

    func databaseDidRollback(_ db: Database) {
        log.append("rolled back")
        onRollback(db)
    }
}

/// The notifications at the end of a committed transaction.
let commit = ["will commit", "committed"]
let rollback = ["rolled back"]

struct Objection: Error, Equatable {}

let twoTables = """
    CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE album(id INTEGER PRIMARY KEY, artist INTEGER REFERENCES artist ON DELETE CASCADE, title TEXT);
    """

extension XCTestCase {
    /// Runs a test on an in-memory queue, on a file queue, and on a pool, with each backend.
    func onEachWriter(
        _ configuration: Configuration = Configuration(), schema: String = twoTables,
        _ body: (any DatabaseWriter) throws -> Void
    ) throws {
        try onEachQueue(configuration, schema: schema, body)
        try onPoolOfEachBackend(configuration, schema: schema, body)
    }

    /// Runs a test of many cases, to which the file of a queue makes no difference, on an in-memory queue and
    /// on a pool, with each backend.
    func onMemoryQueueAndPool(
        _ configuration: Configuration = Configuration(), schema: String = twoTables,
        _ body: (any DatabaseWriter) throws -> Void
    ) throws {
        for (name, backend) in testedBackends {
            var configuration = configuration
            configuration.backend = backend
            let dbQueue = try DatabaseQueue(configuration: configuration)
            try dbQueue.writeWithoutTransaction { db in try db.execute(sql: schema) }
            let failures = testRun?.totalFailureCount ?? 0
            try body(dbQueue)
            if (testRun?.totalFailureCount ?? 0) > failures { XCTFail("on \(name), in memory") }
        }
        try onPoolOfEachBackend(configuration, schema: schema, body)
    }

    private func onPoolOfEachBackend(
        _ configuration: Configuration, schema: String, _ body: (any DatabaseWriter) throws -> Void
    ) throws {
        for (name, backend) in testedBackends {
            var configuration = configuration
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            let pool = try DatabasePool(path: directory.file("database.sqlite"), configuration: configuration)
            try pool.writeWithoutTransaction { db in try db.execute(sql: schema) }
            let failures = testRun?.totalFailureCount ?? 0
            try body(pool)
            if (testRun?.totalFailureCount ?? 0) > failures { XCTFail("on \(name), a pool") }
        }
    }

    /// Runs a test on each kind of writer and each backend, with an observer of everything.
    func onEachObservedWriter(
        schema: String = twoTables, _ body: (any DatabaseWriter, RecordingObserver) throws -> Void
    ) throws {
        try onEachWriter(schema: schema) { writer in
            let observer = RecordingObserver()
            writer.add(transactionObserver: observer)
            try body(writer, observer)
        }
    }
}

extension DatabaseWriter {
    /// Runs statements outside a transaction.
    func run(_ sql: String) throws {
        try writeWithoutTransaction { db in try db.execute(sql: sql) }
    }

    /// Runs statements in a transaction.
    func commit(_ sql: String) throws {
        try write { db in try db.execute(sql: sql) }
    }
}
