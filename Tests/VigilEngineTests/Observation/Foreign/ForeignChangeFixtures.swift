import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilStorage
import XCTest

@testable import VigilEngine

/// Values that arrive on any thread and that a test can wait for.
final class ArrivingValues<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var values: [Value] = []
        /// The number of values that a test has waited for.
        var awaitedCount = 0
    }

    private let state = Mutex(State())
    /// Signalled for each value.
    private let didArrive = DispatchSemaphore(value: 0)

    var all: [Value] { state.withLock { $0.values } }

    func append(_ value: Value) {
        state.withLock { $0.values.append(value) }
        didArrive.signal()
    }

    /// Waits for one more value than earlier calls of this method and of ``await(last:file:line:)``.
    @discardableResult
    func awaitNext(file: StaticString = #filePath, line: UInt = #line) -> Bool {
        let isAwaited = wait { state in
            guard state.values.count > state.awaitedCount else { return false }
            state.awaitedCount += 1
            return true
        }
        if !isAwaited { XCTFail("no value arrived", file: file, line: line) }
        return isAwaited
    }

    /// Waits until the last value is `value`.
    func await(last value: Value, file: StaticString = #filePath, line: UInt = #line) {
        let isAwaited = wait { state in
            guard state.values.last == value else { return false }
            state.awaitedCount = state.values.count
            return true
        }
        if !isAwaited { XCTFail("\(all) does not end with \(value)", file: file, line: line) }
    }

    /// Checks a condition now, and after each value that arrives, until it is true.
    ///
    /// - Returns: whether it became true in time.
    private func wait(until condition: (inout State) -> Bool) -> Bool {
        while !state.withLock({ condition(&$0) }) {
            guard didArrive.wait(timeout: .now() + 30) == .success else { return false }
        }
        return true
    }
}

/// A database file in its own temporary directory.
struct DatabaseFile {
    let path: String

    init(for test: XCTestCase) throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("vigil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        test.addTeardownBlock { try? FileManager.default.removeItem(at: directory) }
        path = directory.appendingPathComponent("test.db").path
    }

    /// Opens a queue, which observes foreign changes unless `backend` specifies otherwise.
    func open(
        journal: String = "WAL", foreignChanges: Configuration.ForeignChanges = .observed,
        backend: (any StorageBackend)? = nil
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.foreignChanges = foreignChanges
        configuration.backend = backend
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { db in
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(journal)")
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Opens another queue, which does not observe foreign changes.
    func openWriter(journal: String = "WAL", backend: (any StorageBackend)? = nil) throws -> DatabaseQueue {
        try open(journal: journal, foreignChanges: .ignored, backend: backend)
    }
}

extension DatabaseQueue {
    /// Observes a count, and delivers values on the thread that fetches.
    func observeCount(of table: String) -> (ArrivingValues<Int>, AnyDatabaseCancellable) {
        let values = ArrivingValues<Int>()
        let cancellable =
            ValueObservation
            .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table)") ?? -1 }
            .start(
                in: self, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
        return (values, cancellable)
    }

    func createTables() throws {
        try write { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
            try db.execute(sql: "CREATE TABLE other(id INTEGER PRIMARY KEY)")
        }
    }

    func insert(into table: String = "t") throws {
        try write { db in try db.execute(sql: "INSERT INTO \(table) DEFAULT VALUES") }
    }
}

extension DatabaseWriter {
    /// Checks for foreign commits, as the watcher does after a hint.
    func findForeignCommits(times: Int = 1) throws {
        for _ in 0..<times {
            try writeWithoutTransaction { db in
                var error: (any Error)?
                _ = db.noticeForeignChange(&error)
                if let error { throw error }
            }
        }
    }
}

/// The default backend with hints that the test sends.
final class HintingBackend: ForwardingBackend {
    private struct State {
        var onHint: (@Sendable () -> Void)?
    }

    /// Records the beginning and the end of each watch.
    let events = ArrivingValues<String>()
    /// Records the location of each watch.
    let locations = ArrivingValues<StorageLocation>()
    /// Whether watches cannot be set up.
    private let refuses: Bool
    let base = makeDefaultBackend()
    private let state = Mutex(State())

    init(refusing refuses: Bool = false) {
        self.refuses = refuses
    }

    func watchForeignChanges(
        of location: StorageLocation, onHint: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        locations.append(location)
        if refuses {
            events.append("refused")
            throw StorageError(.cannotOpen, "no watch is left")
        }
        state.withLock { $0.onHint = onHint }
        events.append("begun")
        return Watch { [events] in events.append("ended") }
    }

    func hint() { state.withLock { $0.onHint }?() }

    private final class Watch: StorageWatch {
        private let onCancel: Mutex<(@Sendable () -> Void)?>

        init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = Mutex(onCancel) }

        func cancel() {
            let action = onCancel.withLock { action in
                defer { action = nil }
                return action
            }
            action?()
        }
    }
}

/// Skips a test in builds whose files may be encrypted.
func requirePlainFiles() throws {
    #if !SQLite
        throw XCTSkip("the pages of files that may be encrypted are not read")
    #endif
}

/// Returns the backend that databases have without a choice.
func makeDefaultBackend() -> any StorageBackend {
    #if SQLite
        SQLiteBackend()
    #else
        SQLCipherBackend()
    #endif
}
