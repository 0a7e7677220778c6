import Dispatch
import Vigil
import XCTest

@testable import VigilEngine

/// An observation retains its database until it ends.
final class ObservationRetentionTests: XCTestCase {
    /// Opens the databases to observe, which have a table `t` and no other owner.
    private func onEachOpening(
        _ foreignChanges: Configuration.ForeignChanges = .ignored,
        _ body: (() throws -> any DatabaseWriter) throws -> Void
    ) throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            configuration.foreignChanges = foreignChanges
            let directory = try TemporaryDirectory()
            let openings: [(String) throws -> any DatabaseWriter] = [
                { _ in try DatabaseQueue(configuration: configuration) },
                { try DatabaseQueue(path: directory.file("queue.\($0)"), configuration: configuration) },
                { try DatabasePool(path: directory.file("pool.\($0)"), configuration: configuration) },
            ]
            for (index, open) in openings.enumerated() where foreignChanges == .ignored || index > 0 {
                var number = 0
                try body {
                    number += 1
                    let writer = try open("\(number)")
                    try writer.write { try $0.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)") }
                    return writer
                }
            }
        }
    }

    /// Waits until an object is released, which may be after the end of work on other threads.
    private func assertReleased(
        _ isReleased: @autoclosure () -> Bool, file: StaticString = #filePath, line: UInt = #line
    ) {
        let deadline = DispatchTime.now() + testTimeout
        while !isReleased() {
            if DispatchTime.now() > deadline { return XCTFail("not released", file: file, line: line) }
            DispatchQueue.global().sync {}
        }
    }

    private func insertLater(_ writer: any DatabaseWriter) {
        writer.asyncWriteWithoutTransaction { db in assertNoError { try db.execute(sql: insertIntoT) } }
    }

    func testAValueObservationRetainsItsDatabaseUntilItIsCancelled() throws {
        for foreignChanges in [Configuration.ForeignChanges.ignored, .observed] {
            try onEachOpening(foreignChanges) { open in
                let values = Recorder<Int>()
                weak var weakWriter: (any DatabaseWriter)?
                var cancellable: AnyDatabaseCancellable?
                do {
                    let writer = try open()
                    weakWriter = writer
                    cancellable = rowCounts.start(
                        in: AnyDatabaseWriter(writer), scheduling: .async(onQueue: .global()),
                        onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
                }
                values.wait { $0 == [0] }
                if let weakWriter { insertLater(weakWriter) } else { XCTFail("released too early") }
                values.wait { $0.last == 1 }
                cancellable?.cancel()
                assertReleased(weakWriter == nil)
            }
        }
    }

    func testAnObservationThatFailsReleasesItsDatabase() throws {
        try onEachOpening { open in
            let errors = Recorder<any Error>()
            weak var weakWriter: (any DatabaseWriter)?
            let cancellable: AnyDatabaseCancellable
            do {
                let writer = try open()
                weakWriter = writer
                cancellable = ValueObservation.tracking { db in
                    try Int.fetchOne(db, sql: "SELECT a FROM missing")
                }
                .start(
                    in: writer, scheduling: .async(onQueue: .global()),
                    onError: { errors.append($0) }, onChange: { _ in XCTFail("a value") })
            }
            errors.wait(count: 1)
            assertReleased(weakWriter == nil)
            withExtendedLifetime(cancellable) {}
        }
    }

    func testARegionObservationRetainsItsDatabaseUntilItIsCancelled() throws {
        try onEachOpening { open in
            let commits = Recorder<Int>()
            weak var weakWriter: (any DatabaseWriter)?
            var cancellable: AnyDatabaseCancellable?
            do {
                let writer = try open()
                weakWriter = writer
                cancellable = DatabaseRegionObservation(tracking: .fullDatabase).start(
                    in: AnyDatabaseWriter(writer), onError: { XCTFail("\($0)") },
                    onChange: { _ in commits.append(1) })
            }
            if let weakWriter { insertLater(weakWriter) } else { XCTFail("released too early") }
            commits.wait(count: 1)
            cancellable = nil
            assertReleased(weakWriter == nil)
            _ = cancellable
        }
    }

    func testARegionObservationStartedThroughATemporaryWriterIsUnregistered() throws {
        try onEachOpening { open in
            let writer = try open()
            let commits = FetchCount()
            let cancellable = DatabaseRegionObservation(tracking: .fullDatabase).start(
                in: AnyDatabaseWriter(writer), onError: { XCTFail("\($0)") }, onChange: { _ in commits.add() }
            )
            try writer.commit(insertIntoT)
            XCTAssertEqual(commits.count, 1)
            cancellable.cancel()
            try writer.commit(insertIntoT)
            XCTAssertEqual(commits.count, 1)
            XCTAssertEqual(writer.writeWithoutTransaction { db in db.coordinator?.observerCount }, 0)
        }
    }

    /// Only the observation retains the database, and the access that ends it runs on the database's queue.
    func testTheLastReferenceCanBeReleasedInsideAnAccess() throws {
        for foreignChanges in [Configuration.ForeignChanges.ignored, .observed] {
            try onEachOpening(foreignChanges) { open in
                let cancellables = Values<AnyDatabaseCancellable>()
                let ended = Recorder<Int>()
                weak var weakWriter: (any DatabaseWriter)?
                do {
                    let writer = try open()
                    weakWriter = writer
                    cancellables.append(
                        DatabaseRegionObservation(tracking: .fullDatabase).start(
                            in: writer, onError: { XCTFail("\($0)") },
                            onChange: { _ in
                                cancellables.removeLast()
                                ended.append(1)
                            }))
                    insertLater(writer)
                }
                ended.wait(count: 1)
                assertReleased(weakWriter == nil)
            }
        }
    }

    func testAValueObservationCanReleaseItsDatabaseFromItsCallback() throws {
        try onEachOpening { open in
            let cancellables = Values<AnyDatabaseCancellable>()
            let values = Recorder<Int>()
            weak var weakWriter: (any DatabaseWriter)?
            do {
                let writer = try open()
                weakWriter = writer
                let isReady = Gate()
                writer.asyncWriteWithoutTransaction { db in
                    isReady.wait()
                    assertNoError { try db.execute(sql: insertIntoT) }
                }
                // The observation calls back on the thread that fetches.
                cancellables.append(
                    rowCounts.start(
                        in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                        onChange: { value in
                            guard value == 1 else { return }
                            cancellables.removeLast()
                            values.append(value)
                        }))
                isReady.open()
            }
            values.wait(count: 1)
            assertReleased(weakWriter == nil)
        }
    }

    func testAnAsyncSequenceRetainsItsDatabaseWhileItIsIterated() async throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            for isPool in [false, true] {
                weak var weakWriter: (any DatabaseWriter)?
                func open() throws -> any DatabaseWriter {
                    let path = directory.file("\(isPool)")
                    let writer: any DatabaseWriter =
                        isPool
                        ? try DatabasePool(path: path, configuration: configuration)
                        : try DatabaseQueue(path: path, configuration: configuration)
                    try writer.writeWithoutTransaction {
                        try $0.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
                    }
                    weakWriter = writer
                    return writer
                }
                var last = -1
                for try await value in rowCounts.values(in: try open()) {
                    last = value
                    if value == 3 { break }
                    if let weakWriter { insertLater(weakWriter) } else { XCTFail("released too early") }
                }
                XCTAssertEqual(last, 3)
                let isReleased = { weakWriter == nil }
                assertReleased(isReleased())
            }
        }
    }

    func testASharedObservationRetainsItsDatabase() throws {
        try onEachOpening { open in
            let values = Recorder<Int>()
            weak var weakWriter: (any DatabaseWriter)?
            var client: AnyDatabaseCancellable?
            do {
                let writer = try open()
                weakWriter = writer
                client = rowCounts.shared(in: writer, scheduling: .async(onQueue: .global()))
                    .start(onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
            }
            values.wait { $0.last == 0 }
            if let weakWriter { insertLater(weakWriter) } else { XCTFail("released too early") }
            values.wait { $0.last == 1 }
            client = nil
            assertReleased(weakWriter == nil)
            _ = client
        }
    }

    func testAnObservationRetainsItsSnapshot() throws {
        try onEachPool { pool, _ in
            weak var weakSnapshot: DatabaseSnapshot?
            let values = Recorder<Int>()
            var cancellable: AnyDatabaseCancellable?
            do {
                let snapshot = try pool.makeSnapshot()
                weakSnapshot = snapshot
                cancellable = rowCounts.start(
                    in: snapshot, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
            }
            values.wait { $0 == [0] }
            XCTAssertNotNil(weakSnapshot)
            cancellable = nil
            assertReleased(weakSnapshot == nil)
            _ = cancellable
        }
    }

    /// Closing releases the callbacks, and objects that only they retain, outside of the access.
    func testAnObjectThatClosingReleasesMayUseTheDatabase() throws {
        try onEachOpening { open in
            let writer = try open()
            let (values, errors) = (Recorder<Int>(), Recorder<any Error>())
            var owned = Optional(
                ReleaseNotice {
                    do {
                        try writer.close()
                        try writer.write { db in try db.execute(sql: insertIntoT) }
                    } catch {
                        errors.append(error)
                    }
                })
            let cancellable = rowCounts.start(
                in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { [owned] value in
                    values.append(value)
                    withExtendedLifetime(owned) {}
                })
            let region = DatabaseRegionObservation(tracking: .fullDatabase).start(
                in: writer, onError: { XCTFail("\($0)") },
                onChange: { [owned] _ in withExtendedLifetime(owned) {} })
            writer.add(transactionObserver: TransactionOwner(owned), extent: .databaseLifetime)
            owned = nil
            values.wait(for: 0)
            try writer.close()
            let codes = errors.wait(count: 1).map { ($0 as? DatabaseError)?.resultCode }
            XCTAssertEqual(codes, [.SQLITE_MISUSE])
            withExtendedLifetime((cancellable, region)) {}
        }
    }

    func testADatabaseThatIsNotObservedIsClosedWhenItIsReleased() throws {
        try onEachOpening { open in
            weak var weakWriter: (any DatabaseWriter)?
            do {
                let writer = try open()
                weakWriter = writer
                XCTAssertNotNil(weakWriter)
            }
            XCTAssertNil(weakWriter)
        }
    }
}

/// A transaction observer that retains an object.
private final class TransactionOwner: TransactionObserver {
    private let owned: ReleaseNotice?

    init(_ owned: ReleaseNotice?) { self.owned = owned }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
