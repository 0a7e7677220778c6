#if PostgreSQL
    import Dispatch
    import Synchronization
    import VigilStorage
    import XCTest

    @testable import VigilPostgres

    final class PostgresWatchTests: PostgresTestCase {
        func testCommitsCauseSigns() throws {
            let writer = try open()
            try writer.execute("CREATE TABLE t (a int)")
            let sign = DispatchSemaphore(value: 0)
            let watch = try PostgresWatch.start(address) { sign.signal() }
            for value in 1...5 as ClosedRange<Int64> {
                try writer.execute("INSERT INTO t VALUES (?)", [.integer(value)])
                XCTAssertEqual(sign.wait(timeout: .now() + 10), .success)
            }
            watch.cancel()
            watch.cancel()
        }

        func testALostConnectionCausesASignAndIsReplaced() throws {
            let writer = try open()
            try writer.execute("CREATE TABLE t (a int)")
            let sign = DispatchSemaphore(value: 0)
            let watch = try PostgresWatch.start(address) { sign.signal() }
            let others = """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE pid <> pg_backend_pid() AND query LIKE 'SELECT CASE WHEN pg_is_in_recovery()%'
                """
            while try writer.execute(others) == [[.integer(0)]] {}
            XCTAssertEqual(sign.wait(timeout: .now() + 10), .success)
            try writer.execute("INSERT INTO t VALUES (1)")
            XCTAssertEqual(sign.wait(timeout: .now() + 10), .success)
            watch.cancel()
        }

        func testNoSignBeginsAfterTheEnd() throws {
            let writer = try open()
            try writer.execute("CREATE TABLE t (a int)")
            for value in 1...20 as ClosedRange<Int64> {
                let (signs, first) = (Counter(), DispatchSemaphore(value: 0))
                let watch = try PostgresWatch.start(address) {
                    signs.add(1)
                    first.signal()
                }
                try writer.execute("INSERT INTO t VALUES (?)", [.integer(value)])
                first.wait()
                try writer.execute("INSERT INTO t VALUES (?)", [.integer(value)])
                watch.cancel()
                let count = signs.values.count
                try writer.execute("INSERT INTO t VALUES (?)", [.integer(value)])
                XCTAssertEqual(signs.values.count, count)
            }
        }

        func testAWatchCanBeCancelledByItsSign() throws {
            let writer = try open()
            let (box, ended) = (WatchBox(), DispatchSemaphore(value: 0))
            box.watch = try PostgresWatch.start(address) {
                box.watch?.cancel()
                ended.signal()
            }
            try writer.execute("CREATE TABLE t (a int)")
            XCTAssertEqual(ended.wait(timeout: .now() + 10), .success)
        }

        func testWatchesEndWhenTheyAreReleased() throws {
            weak var watch: PostgresWatch?
            do {
                let started = try PostgresWatch.start(address) {}
                watch = started
            }
            // A look may still be running.
            while watch != nil {}
            XCTAssertThrowsError(try PostgresWatch.start("postgres:///x?host=/nowhere") {})
        }
    }

    /// A watch that its own closure uses.
    private final class WatchBox: Sendable {
        private let state = Mutex<PostgresWatch?>(nil)

        var watch: PostgresWatch? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
#endif
