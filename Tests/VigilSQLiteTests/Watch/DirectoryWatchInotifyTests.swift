#if os(Linux)
    import Foundation
    import Synchronization
    import VigilStorage
    import XCTest

    @testable import VigilSQLite

    final class DirectoryWatchInotifyTests: XCTestCase {
        private var directory: TemporaryDirectory!

        override func setUpWithError() throws {
            directory = try TemporaryDirectory()
        }

        override func tearDown() {
            directory = nil
        }

        private func watch(_ path: String, _ onHint: @escaping @Sendable () -> Void = {}) throws
            -> any StorageWatch
        {
            let watch = try DirectoryWatch.start(for: .file(path: path), onHint: onHint)
            return try XCTUnwrap(watch)
        }

        // MARK: - One instance

        func testAllWatchesShareOneInstanceAndThoseOfADirectoryOneKernelWatch() throws {
            let other = try TemporaryDirectory()
            let watches = try [
                watch(directory.file("a.db")), watch(directory.file("a.db")), watch(directory.file("b.db")),
                watch(other.file("a.db")),
            ]
            XCTAssertEqual(InotifyReader.shared.directoryCount, 2)
            watches[0].cancel()
            watches[1].cancel()
            XCTAssertEqual(InotifyReader.shared.directoryCount, 2)
            watches[2].cancel()
            XCTAssertEqual(InotifyReader.shared.directoryCount, 1)
            InotifyReader.shared.closeIfUnused()
            XCTAssertTrue(InotifyReader.shared.isOpen)
            watches[3].cancel()
            XCTAssertEqual(InotifyReader.shared.directoryCount, 0)
            InotifyReader.shared.closeIfUnused()
            XCTAssertFalse(InotifyReader.shared.isOpen)
        }

        func testRepeatedWatchesDoNotExhaustTheInstanceLimit() throws {
            for _ in 0..<1000 { try watch(directory.file("a.db")).cancel() }
        }

        func testAWatchWorksAfterTheInstanceWasClosed() throws {
            for _ in 0..<5 {
                let hints = Count()
                let watch = try watch(directory.file("a.db")) { hints.increase() }
                try directory.write("a.db")
                hints.await(1)
                watch.cancel()
                InotifyReader.shared.closeIfUnused()
            }
        }

        func testAWatchThatFailsLeavesNothingBehind() throws {
            XCTAssertThrowsError(try watch(directory.file("missing/a.db")))
            XCTAssertEqual(InotifyReader.shared.directoryCount, 0)
            InotifyReader.shared.closeIfUnused()
            XCTAssertFalse(InotifyReader.shared.isOpen)
        }

        // MARK: - Limits

        func testTheOpenFileLimitIsReported() throws {
            InotifyReader.shared.closeIfUnused()
            var limit = rlimit()
            XCTAssertEqual(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), 0)
            var none = limit
            none.rlim_cur = 0
            XCTAssertEqual(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none), 0)
            defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
            XCTAssertThrowsError(try watch(directory.file("a.db"))) { error in
                let error = error as? StorageError
                XCTAssertEqual(error?.code, .cannotOpen)
                XCTAssertTrue(
                    error?.message.contains("fs.inotify.max_user_instances") == true, "\(error as Any)")
            }
        }

        func testErrorsSayWhatLimitToRaise() {
            let watches = InotifyFailure.addingWatch(FileName("/data")).error(ENOSPC)
            XCTAssertEqual(
                watches.message,
                "the directory /data cannot be watched: No space left on device; raise the limit of inotify"
                    + " watches (sysctl fs.inotify.max_user_watches)")
            XCTAssertTrue(InotifyFailure.openingInstance.error(ENFILE).message.contains("fs.file-max"))
            XCTAssertEqual(
                InotifyFailure.addingWatch(FileName("/data")).error(EACCES).message,
                "the directory /data cannot be watched: Permission denied")
        }

        func testDroppedReportsGiveAHint() throws {
            let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
            let capacity = try XCTUnwrap(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))
            try XCTSkipIf(capacity > 100_000, "the queue of reports is too long to be filled in a test")
            let entered = Count()
            let mayGoOn = DispatchSemaphore(value: 0)
            let blocking = try watch(directory.file("a.db")) {
                entered.increase()
                if entered.value == 1 { mayGoOn.wait() }
            }
            let hints = Count()
            let other = try watch(directory.file("b.db")) { hints.increase() }
            try directory.write("a.db")
            entered.await(1)
            // The kernel merges consecutive equal reports.
            let files = try ["x", "y"].map { try XCTUnwrap(fopen(directory.file($0), "a")) }
            for number in 0..<(capacity + 10) {
                fputc(0, files[number % 2])
                fflush(files[number % 2])
            }
            files.forEach { fclose($0) }
            XCTAssertEqual(hints.value, 0)
            mayGoOn.signal()
            hints.await(1)
            blocking.cancel()
            other.cancel()
        }

        // MARK: - Reading reports

        func testReportsAreParsed() {
            let bytes =
                report(3, IN_MODIFY, "a.db-wal", padding: 8)
                + report(3, IN_DELETE | IN_ISDIR, "x", padding: 15)
                + report(-1, IN_Q_OVERFLOW, "", padding: 0) + report(4, IN_IGNORED, "", padding: 0)
                + report(5, IN_MOVE_SELF, "", padding: 0)
            let events = bytes.withUnsafeBytes { InotifyEvent.events(in: $0) }
            XCTAssertEqual(events.map(\.watch), [3, 3, -1, 4, 5])
            XCTAssertEqual(
                events.map(\.kind),
                [.file(FileName("a.db-wal")), .file(FileName("x")), .overflow, .watchEnded, .directory])
            XCTAssertEqual([UInt8]().withUnsafeBytes { InotifyEvent.events(in: $0) }, [])
        }

        private func report(_ watch: Int32, _ mask: Int32, _ name: String, padding: Int) -> [UInt8] {
            let numbers = [UInt32(bitPattern: watch), UInt32(mask), 0, UInt32(name.utf8.count + padding)]
            return numbers.flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
                + Array(name.utf8) + Array(repeating: 0, count: padding)
        }
    }
#endif
