// The sample of `VigilMetrics.md`, which a tidy test compares with this file, and other tests of the metrics.
#if Metrics
    import Metrics
    import MetricsTestKit
    import VigilMetrics
    import VigilTestSupport
    import XCTest

    final class ObservationMetricsTests: XCTestCase {
        private let metrics = TestMetrics()

        private func makeQueue() throws -> DatabaseQueue {
            var configuration = Configuration()
            configuration.observationMonitor = ObservationMetrics(
                prefix: "app", dimensions: [("database", "test")], factory: metrics)
            let queue = try DatabaseQueue(configuration: configuration)
            try queue.write { db in
                try db.execute(
                    sql: "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY)")
            }
            return queue
        }

        private func total(_ name: String, _ dimensions: [(String, String)] = []) -> Int64 {
            let all = [("database", "test")] + dimensions
            return metrics.counters(label: "app.\(name)", dimensions: all).reduce(0) { $0 + $1.totalValue }
        }

        private func count(ofTimer name: String) throws -> Int {
            try metrics.expectTimer("app.\(name)", [("database", "test")]).values.count
        }

        func testCommitsFetchesAndDeliveriesAreReported() throws {
            let queue = try makeQueue()
            // Both observations, to know which commits match none.
            let observations = ["a", "b"].map { table in
                ValueObservation.tracking { db in
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0
                }
            }
            let running = try metrics.expectMeter("app.observations", [("database", "test")])
            let first = observations[0].start(in: queue, scheduling: .inline) {
                XCTFail("\($0)")
            } onChange: { _ in
            }
            let second = observations[1].start(in: queue, scheduling: .inline) {
                XCTFail("\($0)")
            } onChange: { _ in
            }
            // The initial fetches run before this access.
            try queue.read { _ in }
            XCTAssertEqual(running.values.last, 2)
            XCTAssertEqual(total("deliveries"), 2)
            XCTAssertEqual(try count(ofTimer: "delivery_delay"), 0, "initial values have no delay")

            try queue.write { db in try db.execute(sql: "INSERT INTO a DEFAULT VALUES") }
            XCTAssertEqual(total("commits", [("matched", "true")]), 1)
            XCTAssertEqual(total("deliveries"), 3)
            XCTAssertEqual(try count(ofTimer: "fetch"), 3)
            XCTAssertEqual(try count(ofTimer: "delivery_delay"), 1)

            second.cancel()
            XCTAssertEqual(running.values.last, 1)
            try queue.write { db in try db.execute(sql: "INSERT INTO b DEFAULT VALUES") }
            XCTAssertEqual(total("commits", [("matched", "true")]), 1)
            XCTAssertEqual(total("deliveries"), 3)
            first.cancel()
            first.cancel()
            XCTAssertEqual(running.values.last, 0)
        }

        func testCommitsThatMatchNothingAreIgnored() throws {
            let queue = try makeQueue()
            let observation = ValueObservation.tracking { db in
                try Int.fetchAll(db, sql: "SELECT id FROM a WHERE id = 1")
            }
            let cancellable = observation.start(in: queue, scheduling: .inline) {
                XCTFail("\($0)")
            } onChange: { _ in
            }
            try queue.write { db in try db.execute(sql: "INSERT INTO a VALUES (2)") }
            try queue.write { db in try db.execute(sql: "INSERT INTO a VALUES (3)") }
            try queue.write { db in try db.execute(sql: "INSERT INTO a VALUES (1)") }
            XCTAssertEqual(total("commits", [("matched", "false")]), 2)
            XCTAssertEqual(total("commits", [("matched", "true")]), 1)
            XCTAssertEqual(try count(ofTimer: "fetch"), 2)
            cancellable.cancel()
        }

        func testEqualObservationsShareFetches() throws {
            let queue = try makeQueue()
            let request = SQLRequest<Int>(sql: "SELECT id FROM a")
            let cancellables = (0..<3).map { _ in
                ValueObservation.trackingAll(request)
                    .start(in: queue, scheduling: .inline) {
                        XCTFail("\($0)")
                    } onChange: { _ in
                    }
            }
            let before = total("shared_fetches")
            try queue.write { db in try db.execute(sql: "INSERT INTO a VALUES (2)") }
            XCTAssertEqual(total("shared_fetches"), before + 2)
            XCTAssertEqual(try count(ofTimer: "delivery_delay"), 3)
            for cancellable in cancellables { cancellable.cancel() }
        }

        func testAsynchronousFetchesAreMeasuredAndNotTheirLookUps() async throws {
            let queue = try makeQueue()
            let observation = DatabaseRegionObservation(tracking: Table("a")).fetching(in: queue) {
                try await queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM a") }
            }
            var values = observation.values().makeAsyncIterator()
            let initial = try await values.next()
            XCTAssertEqual(initial, 0)
            XCTAssertEqual(try count(ofTimer: "fetch"), 1)
            XCTAssertEqual(try count(ofTimer: "delivery_delay"), 0)
            try await queue.write { db in try db.execute(sql: "INSERT INTO a DEFAULT VALUES") }
            let next = try await values.next()
            XCTAssertEqual(next, 1)
            XCTAssertEqual(try count(ofTimer: "fetch"), 2)
            XCTAssertEqual(try count(ofTimer: "delivery_delay"), 1)
            XCTAssertEqual(total("deliveries"), 2)
        }

        func testEachCommitOfAMigrationIsCountedOnce() throws {
            let queue = try makeQueue()
            let observation = ValueObservation.tracking { db in try Int.fetchAll(db, sql: "SELECT id FROM a")
            }
            let cancellable = observation.start(in: queue, scheduling: .inline) {
                XCTFail("\($0)")
            } onChange: { _ in
            }
            try queue.read { _ in }
            var migrator = DatabaseMigrator()
            for name in ["first", "second"] {
                migrator.registerMigration(name) { db in try db.execute(sql: "INSERT INTO a DEFAULT VALUES") }
            }
            try migrator.migrate(queue)
            XCTAssertEqual(total("commits", [("matched", "true")]), 2)
            cancellable.cancel()
        }

        func testTheDefaultFactoryIsThatOfTheProcess() throws {
            var configuration = Configuration()
            configuration.observationMonitor = ObservationMetrics(dimensions: [("database", "orders")])
            // Without a metrics backend, nothing is measured, and everything works.
            let queue = try DatabaseQueue(configuration: configuration)
            let cancellable = ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT 1") }
                .start(in: queue, scheduling: .inline) {
                    XCTFail("\($0)")
                } onChange: { _ in
                }
            try queue.read { _ in }
            XCTAssertEqual(queue.observations.map(\.notificationCount), [1])
            cancellable.cancel()
        }

        func testTheStateAndTheLagOfAFeedAreReported() throws {
            let monitor = ObservationMetrics(factory: metrics)
            monitor.precisionDidChange(coarseReason: "no logical decoding")
            monitor.precisionDidChange(coarseReason: nil)
            XCTAssertEqual(try metrics.expectMeter("vigil.precise").values, [0, 1])
            monitor.didReceiveCommit(after: .milliseconds(3))
            // The server's clock may be ahead.
            monitor.didReceiveCommit(after: .seconds(-1))
            XCTAssertEqual(try metrics.expectTimer("vigil.server_lag").values, [3_000_000, 0])
        }
    }
#endif
