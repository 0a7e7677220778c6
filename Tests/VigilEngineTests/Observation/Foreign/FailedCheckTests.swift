import Foundation
import Vigil
import VigilStorage
import XCTest

/// Observations of a database whose foreign changes can no longer be noticed.
final class FailedCheckTests: XCTestCase {
    private func configuration(_ backend: (any StorageBackend)? = nil) -> Configuration {
        var configuration = Configuration()
        configuration.backend = backend
        configuration.foreignChanges = .observed
        return configuration
    }

    private func createTable(_ writer: any DatabaseWriter) throws {
        try writer.write { db in try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)") }
    }

    /// Observes values and a region, and returns the codes of the errors.
    private func observe(_ writer: any DatabaseWriter) -> (
        ArrivingValues<Int>, [ArrivingValues<ResultCode>], [AnyDatabaseCancellable]
    ) {
        let values = ArrivingValues<Int>()
        let errors = [ArrivingValues<ResultCode>(), ArrivingValues<ResultCode>()]
        let record: @Sendable (any Error, Int) -> Void = { error, index in
            errors[index].append((error as? DatabaseError)?.resultCode ?? .SQLITE_OK)
        }
        let cancellables = [
            ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1 }
                .start(
                    in: writer, scheduling: .inline, onError: { record($0, 0) },
                    onChange: { values.append($0) }),
            DatabaseRegionObservation(tracking: DatabaseRegion(table: "t"))
                .start(in: writer, onError: { record($0, 1) }, onChange: { _ in }),
        ]
        return (values, errors, cancellables)
    }

    #if SQLite
        func testGarbageInTheHeaderEndsObservations() throws {
            let file = try DatabaseFile(for: self)
            let dbQueue = try DatabaseQueue(path: file.path, configuration: configuration(SQLiteBackend()))
            try createTable(dbQueue)
            let (values, errors, cancellables) = observe(dbQueue)
            values.await(last: 0)
            let handle = try XCTUnwrap(FileHandle(forUpdatingAtPath: file.path))
            try handle.write(contentsOf: Data(repeating: 0xAB, count: 100))
            try handle.close()
            for recorded in errors { recorded.await(last: .SQLITE_NOTADB) }
            XCTAssertEqual(dbQueue.observations.count, 0)
            // The failure is not cached: a new observation checks again and fails with its own error.
            let (_, newErrors, newCancellables) = observe(dbQueue)
            newErrors[0].await(last: .SQLITE_NOTADB)
            cancellables.forEach { $0.cancel() }
            newCancellables.forEach { $0.cancel() }
        }
    #endif

    #if SQLCipher
        func testAKeyChangedByAnotherConnectionEndsObservations() throws {
            let backend = SQLCipherBackend(key: .passphrase("old"), library: .underTest)
            for isPool in [false, true] {
                let file = try DatabaseFile(for: self)
                let writer: any DatabaseWriter =
                    isPool
                    ? try DatabasePool(path: file.path, configuration: configuration(backend))
                    : try DatabaseQueue(path: file.path, configuration: configuration(backend))
                try createTable(writer)
                let (values, errors, cancellables) = observe(writer)
                values.await(last: 0)
                var foreign = Configuration()
                foreign.backend = backend
                foreign.busyMode = .timeout(30)
                let other = try DatabaseQueue(path: file.path, configuration: foreign)
                try other.writeWithoutTransaction { db in try db.changePassphrase("new") }
                for recorded in errors {
                    recorded.awaitNext()
                    // SQLCipher 4 reports a page that it cannot decrypt.
                    XCTAssert(
                        recorded.all == [.SQLITE_NOTADB] || recorded.all == [.SQLITE_CORRUPT],
                        "\(recorded.all) \(isPool ? "pool" : "queue")")
                }
                XCTAssertEqual(writer.observations.count, 0)
                cancellables.forEach { $0.cancel() }
            }
        }
    #endif

    func testAWatchThatCannotBeSetUpIsLoggedAndReplacedByPeriodicChecks() throws {
        let messages = ArrivingValues<String>()
        Database.logError = { code, message in messages.append("\(code.rawValue): \(message)") }
        defer { Database.logError = nil }
        let backend = FailingTokenBackend()
        backend.failToWatch()
        let file = try DatabaseFile(for: self)
        let dbQueue = try DatabaseQueue(path: file.path, configuration: configuration(backend))
        try createTable(dbQueue)
        let (values, _, cancellables) = observe(dbQueue)
        values.await(last: 0)
        let expected =
            "\(ResultCode.SQLITE_IOERR.rawValue): the database file cannot be watched, and is checked periodically: a planted failure"
        XCTAssertTrue(messages.all.contains(expected), "\(messages.all)")
        try file.openWriter(backend: backend.base).insert()
        values.await(last: 1)
        cancellables.forEach { $0.cancel() }
    }

    func testFailedChecksEndObservationsAndOthersDoNot() throws {
        for isPool in [false, true] {
            let backend = FailingTokenBackend()
            let file = try DatabaseFile(for: self)
            let writer: any DatabaseWriter =
                isPool
                ? try DatabasePool(path: file.path, configuration: configuration(backend))
                : try DatabaseQueue(path: file.path, configuration: configuration(backend))
            try createTable(writer)
            let (values, errors, cancellables) = observe(writer)
            values.await(last: 0)
            for code in [StorageError.Code.busy, .locked, .interrupt] {
                backend.fail(with: code)
                // More checks than may otherwise fail in a row.
                for _ in 0..<20 { backend.failures.awaitNext() }
                XCTAssertEqual(errors.map(\.all), [[], []], "\(code)")
            }
            backend.fail(with: nil)
            try file.openWriter(backend: backend.base).insert()
            values.await(last: 1)
            backend.fail(with: .ioError)
            for recorded in errors { recorded.await(last: .SQLITE_IOERR) }
            XCTAssertEqual(writer.observations.count, 0)
            // The database remains usable.
            backend.fail(with: nil)
            let (newValues, newErrors, newCancellables) = observe(writer)
            newValues.await(last: 1)
            try file.openWriter(backend: backend.base).insert()
            newValues.await(last: 2)
            XCTAssertEqual(newErrors.map(\.all), [[], []])
            (cancellables + newCancellables).forEach { $0.cancel() }
        }
    }
}
