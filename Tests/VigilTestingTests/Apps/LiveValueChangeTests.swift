#if canImport(Observation)
    import Dispatch
    import Observation
    import Synchronization
    import Vigil
    import VigilTesting
    import XCTest

    /// The changes of live values that observation tracking sees.
    final class LiveValueChangeTests: XCTestCase {
        private final class Counter: Sendable {
            private let count = Mutex(0)
            var value: Int { count.withLock { $0 } }
            func add() { count.withLock { $0 += 1 } }
        }

        private func makeDatabase(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
            let dbQueue = try DatabaseQueue(configuration: configuration)
            try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)") }
            return dbQueue
        }

        /// A view that reads the value in each of its updates sees each change, and is not updated without
        /// one.
        @MainActor
        func testTrackingSeesEachChangeAndNothingElse() async throws {
            let dbQueue = try makeDatabase()
            let live = LiveValue(
                ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0 }
                    .removeDuplicates(),
                in: dbQueue, scheduling: .immediate)
            let reader = live.addReader()
            let changes = Counter()
            func track() -> Int? {
                withObservationTracking {
                    live.value
                } onChange: {
                    changes.add()
                }
            }
            XCTAssertEqual(track(), 0)
            // An equal value.
            try await dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t DEFAULT VALUES; DELETE FROM t")
            }
            try await dbQueue.observationsDidSettle()
            XCTAssertEqual(changes.value, 0)
            for count in 1...3 {
                try await dbQueue.write { db in try db.execute(sql: "INSERT INTO t DEFAULT VALUES") }
                try await dbQueue.observationsDidSettle()
                XCTAssertEqual(changes.value, count)
                XCTAssertEqual(track(), count)
            }
            // Without a tracking call in between, the next one reads the last value.
            for _ in 0..<2 {
                try await dbQueue.write { db in try db.execute(sql: "INSERT INTO t DEFAULT VALUES") }
            }
            try await dbQueue.observationsDidSettle()
            XCTAssertEqual(changes.value, 4)
            XCTAssertEqual(track(), 5)
            reader.cancel()
        }

        private struct Item: Codable, Equatable, FetchableRecord, TableRecord {
            static let databaseTableName = "t"
            var id: Int64
        }

        /// Returns the error of `body`, which runs while the main queue is blocked.
        @MainActor
        private func errorOffMainQueue(_ body: @escaping @Sendable () async throws -> Void) -> String? {
            let error = Mutex<String?>(nil)
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                do { try await body() } catch let failure { error.withLock { $0 = "\(failure)" } }
                done.signal()
            }
            done.wait()
            return error.withLock { $0 }
        }

        /// The key of an observation of a request depends on the database, so the observation starts later.
        @MainActor
        func testTheStartOfALiveValueIsAwaited() async throws {
            let dbQueue = try makeDatabase()
            try await dbQueue.write { db in try db.execute(sql: "INSERT INTO t DEFAULT VALUES") }
            let readers: [any DatabaseReader] = [dbQueue, AnyDatabaseReader(dbQueue)]
            for reader in readers {
                let live = LiveValue(.trackingAll(Item.all()), in: reader)
                let equal = LiveValue(.trackingAll(Item.all()), in: reader)
                let cancellable = live.addReader()
                let busy = errorOffMainQueue { try await reader.observationsDidSettle(within: .zero) }
                XCTAssertTrue(
                    busy?.hasPrefix("an observation is still waitingToFetch") == true, busy ?? "settled")
                XCTAssertEqual(dbQueue.observations.count, 0)
                try await reader.observationsDidSettle()
                XCTAssertEqual(live.value, [Item(id: 1)])
                // It begins with the value of the first one.
                let other = equal.addReader()
                try await reader.observationsDidSettle()
                XCTAssertEqual(equal.value, [Item(id: 1)])
                cancellable.cancel()
                other.cancel()
                let cancelled = live.addReader()
                cancelled.cancel()
                try await reader.observationsDidSettle()
                XCTAssertEqual(dbQueue.observations.count, 0)
            }
        }

        /// Equal requests are fetched once for all live values.
        @MainActor
        func testEqualLiveValuesFetchOnce() async throws {
            let fetches = FetchCounter()
            var configuration = Configuration()
            configuration.observationMonitor = fetches
            let dbQueue = try makeDatabase(configuration)
            let values = (0..<3).map { _ in LiveValue(.trackingAll(Item.all()), in: dbQueue) }
            let readers = values.map { $0.addReader() }
            try await dbQueue.observationsDidSettle()
            try await fetches.expect(1, in: dbQueue) { @Sendable in
                try await dbQueue.write { db in try db.execute(sql: "INSERT INTO t DEFAULT VALUES") }
            }
            XCTAssertEqual(values.map { $0.value ?? [] }, Array(repeating: [Item(id: 1)], count: 3))
            readers.forEach { $0.cancel() }
        }
    }
#endif
