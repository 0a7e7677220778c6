import Foundation
import Synchronization
import VigilStorage
import VigilTestSupport
import XCTest

@testable import VigilSQLite

final class DirectoryWatchTests: XCTestCase {
    private var directory: TemporaryDirectory!

    override func setUpWithError() throws {
        directory = try TemporaryDirectory()
    }

    override func tearDown() {
        directory = nil
    }

    private func watch(_ path: String, _ onHint: @escaping @Sendable () -> Void) throws -> any StorageWatch {
        // XCTUnwrap would record a thrown error as a failure.
        let watch = try DirectoryWatch.start(for: .file(path: path), onHint: onHint)
        return try XCTUnwrap(watch)
    }

    /// Asserts that `action` causes a hint for the database `a.db`.
    private func expectHint(
        of path: String? = nil, file: StaticString = #filePath, line: UInt = #line,
        _ action: () throws -> Void
    ) throws {
        let hints = Count()
        let watch = try watch(path ?? directory.file("a.db")) { hints.increase() }
        defer { watch.cancel() }
        try action()
        hints.await(1, file: file, line: line)
    }

    // MARK: - Causes of hints

    func testDatabasesInMemoryAreNotWatched() throws {
        let locations: [StorageLocation] = [
            .memory(name: nil), .memory(name: "shared"), .file(path: ":memory:"), .file(path: ""),
        ]
        for location in locations { XCTAssertNil(try DirectoryWatch.start(for: location) {}) }
    }

    func testWritesToTheDatabaseItsLogAndItsJournalGiveHints() throws {
        for name in ["a.db", "a.db-wal", "a.db-journal"] {
            try expectHint { try directory.write(name) }
        }
    }

    func testACommitGivesAHintInEveryJournalMode() throws {
        for mode in ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF", "WAL"] {
            let path = directory.file("a.db")
            let connection = try SQLiteConnection(
                library: .linked(), location: .file(path: path), options: StorageOptions())
            XCTAssertEqual(
                try connection.query("PRAGMA journal_mode = \(mode)"), [[.text(mode.lowercased())]])
            try connection.run("CREATE TABLE t(a)")
            try connection.run("INSERT INTO t VALUES (0)")
            try expectHint { try connection.run("UPDATE t SET a = a + 1") }
            try connection.close()
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                try FileManager.default.removeItem(atPath: directory.file(name))
            }
        }
    }

    func testTheEndOfARollbackJournalGivesAHint() throws {
        try directory.write("a.db-journal")
        try expectHint { try FileManager.default.removeItem(atPath: directory.file("a.db-journal")) }
        try directory.write("a.db-journal")
        try expectHint { XCTAssertEqual(truncate(directory.file("a.db-journal"), 0), 0) }
    }

    func testRenamingADatabaseIntoPlaceGivesAHint() throws {
        try directory.write("new")
        try expectHint {
            XCTAssertEqual(rename(directory.file("new"), directory.file("a.db")), 0)
        }
    }

    func testAnotherProcessGivesAHint() throws {
        try expectHint {
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = ["-c", "echo x >> \"$0\"", directory.file("a.db-wal")]
            try shell.run()
            shell.waitUntilExit()
        }
    }

    func testOtherFilesGiveNoHint() throws {
        let hints = Count()
        let others = Count()
        let watch = try watch(directory.file("a.db")) { hints.increase() }
        let last = try self.watch(directory.file("z.db")) { others.increase() }
        for name in ["a.db-shm", "a.db2", "a", "b.db", "b.db-wal", "-wal"] { try directory.write(name) }
        try directory.write("z.db")
        others.await(1)
        XCTAssertEqual(hints.value, 0)
        watch.cancel()
        last.cancel()
    }

    func testThePathMayLeadThroughSymbolicLinks() throws {
        let files = FileManager.default
        try files.createDirectory(atPath: directory.file("real"), withIntermediateDirectories: true)
        try directory.write("real/data")
        try files.createSymbolicLink(
            atPath: directory.file("dir"), withDestinationPath: directory.file("real"))
        try files.createSymbolicLink(atPath: directory.file("a.db"), withDestinationPath: "dir/data")
        for path in ["a.db", "dir/data", "real/../dir/./data"] {
            try expectHint(of: directory.file(path)) { try directory.write("real/data-wal") }
        }
    }

    func testTheFileNeedNotExistYet() throws {
        try expectHint { try directory.write("a.db") }
    }

    func testADeletedDirectoryGivesAHint() throws {
        let sub = directory.file("sub")
        try FileManager.default.createDirectory(atPath: sub, withIntermediateDirectories: true)
        try expectHint(of: sub + "/a.db") { XCTAssertEqual(rmdir(sub), 0) }
        XCTAssertThrowsError(try watch(sub + "/a.db") {}) { error in
            XCTAssertEqual((error as? StorageError)?.code, .cannotOpen)
        }
    }

    func testAMovedDirectoryGivesAHintAndIsFollowed() throws {
        try FileManager.default.createDirectory(
            atPath: directory.file("sub"), withIntermediateDirectories: true)
        let hints = Count()
        let watch = try watch(directory.file("sub/a.db")) { hints.increase() }
        XCTAssertEqual(rename(directory.file("sub"), directory.file("moved")), 0)
        hints.await(1)
        let before = hints.value
        try directory.write("moved/a.db")
        hints.await(before + 1)
        watch.cancel()
    }

    // MARK: - Several watches

    func testWatchesOfOneDirectoryAreIndependent() throws {
        let first = Count()
        let second = Count()
        let other = Count()
        let firstWatch = try watch(directory.file("a.db")) { first.increase() }
        let secondWatch = try watch(directory.file("a.db")) { second.increase() }
        let otherWatch = try watch(directory.file("b.db")) { other.increase() }
        try directory.write("a.db")
        first.await(1)
        second.await(1)
        firstWatch.cancel()
        let heard = first.value
        try directory.write("a.db")
        try directory.write("b.db")
        other.await(1)
        second.await(2)
        // The oldest watch receives its hints first, so this watch would have received its own by now.
        XCTAssertEqual(first.value, heard)
        secondWatch.cancel()
        otherWatch.cancel()
    }

    func testManyReportsAreMergedIntoFewHints() throws {
        let hints = Count()
        let mayGoOn = DispatchSemaphore(value: 0)
        let watch = try watch(directory.file("a.db")) {
            hints.increase()
            if hints.value == 1 { mayGoOn.wait() }
        }
        try directory.write("a.db")
        hints.await(1)
        for _ in 0..<100 {
            try directory.write("a.db")
            try directory.write("a.db-journal")
        }
        mayGoOn.signal()
        hints.await(2)
        watch.cancel()
        // The reports of 200 writes make one batch, or two if they exceed its buffer.
        XCTAssertLessThanOrEqual(hints.value, 3)
    }

    // MARK: - Cancelling

    func testAWatchEndsWhenItIsReleased() throws {
        let hints = Count()
        let others = Count()
        var watch: (any StorageWatch)? = try watch(directory.file("a.db")) { hints.increase() }
        let last = try self.watch(directory.file("a.db")) { others.increase() }
        XCTAssertNotNil(watch)
        watch = nil
        try directory.write("a.db")
        others.await(1)
        XCTAssertEqual(hints.value, 0)
        last.cancel()
    }

    func testNoHintFollowsCancellationInsideAHint() throws {
        let hints = Count()
        let others = Count()
        let box = Mutex<(any StorageWatch)?>(nil)
        let watch = try watch(directory.file("a.db")) {
            hints.increase()
            box.withLock { $0 }?.cancel()
        }
        box.withLock { $0 = watch }
        let last = try self.watch(directory.file("a.db")) { others.increase() }
        try directory.write("a.db")
        others.await(1)
        let before = others.value
        try directory.write("a.db")
        others.await(before + 1)
        XCTAssertEqual(hints.value, 1)
        box.withLock { $0 = nil }
        last.cancel()
    }

    func testAHintMayCancelAWatchOfTheSameBatch() throws {
        let hints = Count()
        let others = Count()
        let box = Mutex<(any StorageWatch)?>(nil)
        let first = try watch(directory.file("a.db")) {
            box.withLock { $0 }?.cancel()
            others.increase()
        }
        let second = try watch(directory.file("a.db")) { hints.increase() }
        box.withLock { $0 = second }
        try directory.write("a.db")
        others.await(1)
        let before = others.value
        try directory.write("a.db")
        others.await(before + 1)
        XCTAssertEqual(hints.value, 0)
        box.withLock { $0 = nil }
        first.cancel()
    }

    func testAfterCancellingOnOtherThreadsNoHintBegins() throws {
        let keepsWriting = Mutex(true)
        let path = directory.file("a.db")
        let writer = Thread {
            while keepsWriting.withLock({ $0 }) { try? append(to: path) }
        }
        writer.start()
        defer { keepsWriting.withLock { $0 = false } }
        let others = Count()
        let other = try watch(directory.file("a.db")) { others.increase() }
        defer { other.cancel() }
        for _ in 0..<20 {
            let hints = Count()
            let watch = try watch(directory.file("a.db")) { hints.increase() }
            hints.await(1)
            DispatchQueue.concurrentPerform(iterations: 4) { _ in watch.cancel() }
            // A call that had begun has ended after two more batches.
            others.await(others.value + 2)
            let before = hints.value
            others.await(others.value + 2)
            XCTAssertEqual(hints.value, before)
        }
    }

    func testCancellationDoesNotWaitForAHint() throws {
        let entered = Count()
        let mayEnd = DispatchSemaphore(value: 0)
        let watch = try watch(directory.file("a.db")) {
            entered.increase()
            mayEnd.wait()
        }
        try directory.write("a.db")
        entered.await(1)
        // With a hint that waits for an access of the caller, waiting for its end would last forever.
        watch.cancel()
        mayEnd.signal()
    }

    func testTheStackDoesNotGrowWithTheNumberOfHints() {
        let positions = Mutex<Set<UInt>>([])
        let gate = HintGate { positions.withLock { _ = $0.insert(stackPosition()) } }
        for _ in 0..<100 { gate.forwardHint() }
        XCTAssertEqual(positions.withLock { $0.count }, 1)
    }
}
