import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilTesting
import XCTest

/// Opens hostile files as untrusted ones; `Scripts/soak --hostile` opens at least 10,000.
///
/// Whatever a file contains, its use ends, with `DatabaseError` or without, and calls no function of the app.
/// If the process crashes, the file remains in the temporary directory that was printed last.
final class HostileFileTests: XCTestCase {
    /// The number of files for each library in the test suite.
    private static let fileCount = 20
    /// The time after which running statements are interrupted, again and again.
    private static let statementTime = DispatchTimeInterval.milliseconds(5)
    /// The time after which the use of a file is a failure.
    private static let fileTime: TimeInterval = 60

    private final class Progress: Sendable {
        let dbQueue = Mutex<DatabaseQueue?>(nil)
        let begin = Mutex(Date())
        let calls = Mutex(0)
    }

    private var backends: [any StorageBackend] {
        var backends: [any StorageBackend] = []
        #if SQLite
            backends.append(SQLiteBackend())
        #endif
        #if SQLCipher
            backends.append(SQLCipherBackend(key: nil, library: .underTest))
        #endif
        return backends
    }

    /// Returns whether a library survives damaged files. SQLite 3.15 crashes when it writes to some of them.
    private func isRobust(_ backend: any StorageBackend) throws -> Bool {
        let connection = try backend.open(.memory(name: nil), options: StorageOptions())
        defer { try? connection.close() }
        let version = connection.capabilities.libraryVersion.split(separator: ".").compactMap { Int($0) }
        return version.count > 1 && (version[0], version[1]) >= (3, 40)
    }

    func testTheUseOfHostileFilesEndsWithoutHarm() throws {
        let seed = RandomTestSettings.seed
        let minimum = ProcessInfo.processInfo.environment["VIGIL_SOAK_FILES"].flatMap { Int($0) } ?? 0
        var random = SplitMix64(seed: seed)
        let start = Date()
        let bases = try backends.map { backend in
            let isRobust = try isRobust(backend)
            return (backend, try HostileFile.bases(backend, isRobust: isRobust), isRobust)
        }
        let directory = try TemporaryDirectory()
        print("hostile files: VIGIL_SEED=\(seed), in \(directory.path)")
        // A crash would lose it.
        fflush(nil)
        let progress = Progress()
        let watchdog = watch(progress, seed)
        defer { watchdog.cancel() }
        var (count, failed) = (0, 0)
        repeat {
            for (backend, files, isRobust) in bases {
                var file = files[Int.random(in: files.indices, using: &random)]
                let changes = isRobust ? Int.random(in: 0...3, using: &random) : 0
                for _ in 0..<changes { file.mutate(&random) }
                count += 1
                if count.isMultiple(of: 1000) { print("hostile files: \(count)") }
                progress.begin.withLock { $0 = Date() }
                let path = directory.file("\(count)")
                try file.write(to: path)
                failed += try use(path, backend, &random, progress) ? 0 : 1
                for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
                guard progress.calls.withLock({ $0 }) == 0 else {
                    return XCTFail("file \(count) called a function of the app, VIGIL_SEED=\(seed)")
                }
            }
        } while count < minimum
            || RandomTestSettings.goesOn(after: count / bases.count, of: Self.fileCount, since: start)
        print("hostile files: \(count), of which \(failed) could not be opened")
        XCTAssertGreaterThan(count, failed)
    }

    /// Interrupts statements that take long, and ends the process if that does not help.
    private func watch(_ progress: Progress, _ seed: UInt64) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "watchdog"))
        timer.setEventHandler {
            progress.dbQueue.withLock { $0 }?.interrupt()
            guard progress.begin.withLock({ $0.timeIntervalSinceNow }) < -Self.fileTime else { return }
            print("hostile files: the use of a file does not end, VIGIL_SEED=\(seed)")
            fflush(nil)
            abort()
        }
        timer.schedule(deadline: .now(), repeating: Self.statementTime)
        timer.resume()
        return timer
    }

    /// Uses a file, and returns whether it could be opened.
    ///
    /// - Throws: Errors that are not `DatabaseError`s.
    private func use(
        _ path: String, _ backend: any StorageBackend, _ random: inout SplitMix64, _ progress: Progress
    ) throws -> Bool {
        var configuration = Configuration.untrusted
        configuration.backend = backend
        configuration.readonly = random.chance(3)
        configuration.prepareDatabase { db in
            for (name, isPure) in [("launch", true), ("impure", false)] {
                db.add(
                    function: DatabaseFunction(name, pure: isPure) { _ in
                        progress.calls.withLock { $0 += 1 }
                        return 1
                    })
            }
        }
        var opened: DatabaseQueue?
        try attempt { opened = try DatabaseQueue(path: path, configuration: configuration) }
        guard let dbQueue = opened else { return false }
        progress.dbQueue.withLock { $0 = dbQueue }
        defer { progress.dbQueue.withLock { $0 = nil } }
        var names: [String] = []
        try dbQueue.inDatabase { db in
            // Waiting for the disk would take most of the time.
            try attempt { try db.execute(sql: "PRAGMA synchronous = OFF") }
            try attempt { names = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master LIMIT 1000") }
            names = Array(names.shuffled(using: &random).prefix(5))
            for name in names + ["sqlite_master"] { try read(name, db) }
        }
        let table = (names.first { !$0.hasPrefix("sqlite_") } ?? "t").quotedDatabaseIdentifier
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table) LIMIT 1")
        }
        let cancellable = observation.start(
            in: dbQueue, scheduling: immediately, onError: { _ in }, onChange: { _ in })
        try dbQueue.inDatabase { db in
            for name in names { try write(name.quotedDatabaseIdentifier, db) }
            for pragma in ["integrity_check(5)", "quick_check(5)", "foreign_key_check"] {
                try attempt { _ = try Row.fetchAll(db, sql: "PRAGMA \(pragma)") }
            }
            try attempt { try db.execute(sql: "VACUUM") }
        }
        cancellable.cancel()
        try attempt { try dbQueue.close() }
        return true
    }

    private func read(_ name: String, _ db: Database) throws {
        try attempt { _ = try db.columns(in: name) }
        try attempt { _ = try db.indexes(on: name) }
        try attempt { _ = try db.primaryKey(name) }
        try attempt { _ = try db.foreignKeys(on: name) }
        try attempt { _ = try db.viewExists(name) }
        for sql in [
            "SELECT * FROM \(name.quotedDatabaseIdentifier)",
            "SELECT COUNT(*) FROM \(name.quotedDatabaseIdentifier)",
        ] {
            try attempt { _ = try db.explainObservation(sql: sql) }
            try attempt {
                let statement = try db.makeStatement(sql: sql)
                _ = statement.databaseRegion
                let rows = try Row.fetchCursor(statement)
                for _ in 0..<100 {
                    guard let row = try rows.next() else { break }
                    for (_, value) in row { _ = String.fromDatabaseValue(value) }
                }
            }
        }
    }

    private func write(_ name: String, _ db: Database) throws {
        for sql in [
            "INSERT INTO \(name) DEFAULT VALUES", "UPDATE \(name) SET rowid = rowid",
            "UPDATE \(name) SET a = 'x', b = 2",
            "DELETE FROM \(name) WHERE rowid = 1", "DELETE FROM \(name)", "REINDEX \(name)",
            "INSERT INTO \(name)(\(name)) VALUES ('rebuild')",
        ] {
            try attempt { try db.execute(sql: sql) }
        }
        // An automatic rollback may not have been possible.
        if db.isInsideTransaction { try attempt { try db.rollback() } }
    }

    /// Runs `body`, which may throw `DatabaseError`.
    private func attempt(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch is DatabaseError {}
    }
}
