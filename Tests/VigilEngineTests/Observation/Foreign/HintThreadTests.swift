import Dispatch
import Foundation
import Vigil
import XCTest

@testable import VigilEngine

/// The thread of a hint that others may have committed. Other databases share it.
final class HintThreadTests: XCTestCase {
    /// Records for each commit whether it was handled on the main thread, where the tests give the hints.
    private final class Monitor: ObservationMonitor {
        let isMain = ArrivingValues<Bool>()

        func didCommit(matching count: Int) { isMain.append(Thread.isMainThread) }
    }

    private struct Fixture {
        let pool: DatabasePool
        let writer: DatabaseQueue
        let backend = HintingBackend()
        let monitor = Monitor()
        let cancellable: AnyDatabaseCancellable

        init(
            _ test: XCTestCase, writeTargetQueue: DispatchQueue? = nil, coalesces: Bool = true
        ) throws {
            try requirePlainFiles()
            let file = try DatabaseFile(for: test)
            writer = try file.openWriter()
            try writer.createTables()
            var configuration = Configuration()
            configuration.backend = backend
            configuration.foreignChanges = .observed
            configuration.observationMonitor = monitor
            configuration.writeTargetQueue = writeTargetQueue
            pool = try DatabasePool(path: file.path, configuration: configuration)
            // Opening the pool counts as a change of the whole database.
            monitor.isMain.awaitNext()
            let values = ArrivingValues<Int>()
            cancellable =
                ValueObservation
                .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1 }
                .coalescing(coalesces ? .automatic : .never)
                .start(
                    in: pool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
            values.awaitNext()
        }

        /// Commits elsewhere and gives a hint. Returns whether the thread of the hint handled the commit.
        func commit() throws -> Bool {
            try writer.insert()
            backend.hint()
            return monitor.isMain.awaitNext() && monitor.isMain.all.last == true
        }

        /// Commits until the thread of a hint handles the commit: the pages of the file are read, and the
        /// last check was short.
        func commitUntilHintsCheck() throws {
            for _ in 0..<100 { if try commit() { return } }
            XCTFail("no hint was followed by a check on its thread")
        }

        /// Gives a hint on a thread of its own, and returns whether that thread is free again.
        func hintReturns() -> Bool {
            let hasReturned = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [backend] in
                backend.hint()
                hasReturned.signal()
            }
            return hasReturned.wait(timeout: .now() + 10) == .success
        }
    }

    func testAShortCheckRunsOnTheThreadOfItsHint() throws {
        let fixture = try Fixture(self)
        try fixture.commitUntilHintsCheck()
    }

    func testNoCodeOfTheProgramRunsOnTheThreadOfAHint() throws {
        // Its fetches can run in the check, on the writer.
        let fixture = try Fixture(self, coalesces: false)
        for _ in 0..<10 { XCTAssertFalse(try fixture.commit()) }
    }

    func testChecksOfManyDatabasesRunOnTheirQueues() throws {
        let fixture = try Fixture(self)
        try fixture.commitUntilHintsCheck()
        let others = try (0..<4).map { _ in try Fixture(self) }
        for _ in 0..<10 { XCTAssertFalse(try fixture.commit()) }
        withExtendedLifetime(others) {}
    }

    func testAHintDoesNotWaitForAnAccess() throws {
        let fixture = try Fixture(self)
        try fixture.commitUntilHintsCheck()
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread { [pool = fixture.pool] in
            pool.writeWithoutTransaction { _ in
                hasBegun.signal()
                mayEnd.wait()
            }
        }
        hasBegun.wait()
        try fixture.writer.insert()
        XCTAssertTrue(fixture.hintReturns())
        mayEnd.signal()
        fixture.monitor.isMain.awaitNext()
    }

    func testAHintDoesNotWaitForATargetQueue() throws {
        let target = DispatchQueue(label: "HintThreadTests")
        let fixture = try Fixture(self, writeTargetQueue: target)
        for _ in 0..<10 { XCTAssertFalse(try fixture.commit()) }
        try fixture.writer.insert()
        target.suspend()
        XCTAssertTrue(fixture.hintReturns())
        target.resume()
        fixture.monitor.isMain.awaitNext()
    }
}
