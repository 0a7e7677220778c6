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

        // MARK: - Continuous writes

        /// The kernel reports nothing of writes without a pause, and hints continue. Later writes, deletions
        /// and other databases of the directory give hints, too.
        func testContinuousWritesAreNotReportedOneByOne() throws {
            let (hints, others) = (Count(), Count())
            let watches = try [
                watch(directory.file("a.db")) { hints.increase() },
                watch(directory.file("b.db")) { others.increase() },
            ]
            try writeUntilMuted(directory.file("a.db-wal"))
            // Without a write, also for the other database.
            others.await(1)
            awaitReports(hints)
            try assertReported(directory.file("b.db"), others)
            for watch in watches { watch.cancel() }
        }

        /// Waits until writes are reported again. A hint follows.
        private func awaitReports(_ hints: Count) {
            var seen = hints.value
            while InotifyReader.shared.mutedCount > 0 {
                hints.await(seen + 1)
                seen = hints.value
            }
        }

        /// Checks that writes give hints. One of them may be the last of a time without reports.
        private func assertReported(_ path: String, _ hints: Count) throws {
            for _ in 0..<3 {
                let before = hints.value
                try append(to: path)
                hints.await(before + 1)
            }
        }

        /// Writes to a file until its writes are not reported.
        private func writeUntilMuted(_ path: String) throws {
            let end = ContinuousClock.now + .seconds(30)
            while InotifyReader.shared.mutedCount == 0 {
                try append(to: path)
                if ContinuousClock.now > end { return XCTFail("the writes are still reported") }
            }
        }

        /// A watch that begins while writes are not reported notices the next one, and the others still
        /// notice the last.
        func testAWatchMayBeginDuringContinuousWrites() throws {
            let (hints, others) = (Count(), Count())
            let watch = try watch(directory.file("a.db")) { hints.increase() }
            try writeUntilMuted(directory.file("a.db-wal"))
            let seen = hints.value
            let other = try self.watch(directory.file("b.db")) { others.increase() }
            hints.await(seen + 1)
            others.await(1)
            watch.cancel()
            other.cancel()
        }

        /// A directory that is replaced while its writes are not reported does not affect the next one.
        func testADirectoryMayBeReplacedDuringContinuousWrites() throws {
            let folder = directory.file("folder")
            func create() throws {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false)
            }
            try create()
            let hints = Count()
            let watch = try watch(folder + "/a.db") { hints.increase() }
            try writeUntilMuted(folder + "/a.db-wal")
            try FileManager.default.moveItem(atPath: folder, toPath: directory.file("moved"))
            try create()
            let others = Count()
            let other = try self.watch(folder + "/a.db") { others.increase() }
            try assertReported(folder + "/a.db", others)
            // Until the reader has tried to report the writes of the first directory again.
            awaitReports(hints)
            try assertReported(folder + "/a.db", others)
            watch.cancel()
            other.cancel()
            XCTAssertEqual(InotifyReader.shared.directoryCount, 0)
        }

        /// Other files than databases and their logs give no hints, however often they are written.
        func testWritesOfOtherFilesGiveNoHints() throws {
            let hints = Count()
            let watch = try watch(directory.file("a.db")) { hints.increase() }
            let other = try XCTUnwrap(fopen(directory.file("log"), "a"))
            for _ in 0..<20_000 {
                fputc(0, other)
                fflush(other)
            }
            fclose(other)
            XCTAssertEqual(InotifyReader.shared.mutedCount, 0)
            try directory.write("a.db")
            hints.await(1)
            XCTAssertEqual(InotifyReader.shared.mutedCount, 0)
            watch.cancel()
        }

        func testAWatchOfADeletedDirectoryLeavesNothingBehind() throws {
            let folder = directory.file("folder")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let hints = Count()
            let watch = try watch(folder + "/a.db") { hints.increase() }
            try FileManager.default.removeItem(atPath: folder)
            var seen = hints.value
            while InotifyReader.shared.directoryCount > 0 {
                hints.await(seen + 1)
                seen = hints.value
            }
            watch.cancel()
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
