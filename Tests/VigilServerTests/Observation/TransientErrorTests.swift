#if PostgreSQL
    import Dispatch
    import Foundation
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Observations whose fetches fail for a time, because of other sessions, limits and administrators.
    final class TransientErrorTests: ServerTestCase {
        private var application: String { "app_\(schemaName)" }

        private let ids = ValueObservation.tracking { db in
            try Int.fetchAll(db, sql: "SELECT id FROM player ORDER BY id")
        }

        private func makeTables(_ dbPool: DatabasePool) throws {
            try dbPool.write { db in
                try db.execute(sql: "CREATE TABLE player (id INT PRIMARY KEY); CREATE TABLE other (id INT)")
            }
        }

        private func insert(_ id: Int, into table: String = "player", _ dbPool: DatabasePool) throws {
            try dbPool.write { db in
                try db.execute(sql: "INSERT INTO \(table) VALUES (?)", arguments: [id])
            }
        }

        private func observe<Reducer: ValueReducer>(
            _ observation: ValueObservation<Reducer>, in dbPool: DatabasePool
        ) -> (Recorder<Reducer.Value>, AnyDatabaseCancellable) {
            let values = Recorder<Reducer.Value>()
            let cancellable = observation.start(
                in: dbPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            return (values, cancellable)
        }

        /// Waits until the fetches of all observations were postponed, and returns the codes of the errors.
        private func waitForPostponement(_ dbPool: DatabasePool) -> Set<String> {
            while true {
                let errors = dbPool.observations.map { $0.postponingError as? DatabaseError }
                if !errors.isEmpty, errors.allSatisfy({ $0 != nil }) {
                    return Set(errors.compactMap { $0?.sqlState })
                }
                sched_yield()
            }
        }

        /// Calls `body` while another session holds a lock that prevents all reads of the table. The session
        /// then inserts a row, and commits.
        private func whileLocked(insert id: Int, _ body: () throws -> Void) throws {
            let (isLocked, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let holder = try makePool()
            let ended = Recorder<Void>()
            holder.asyncWriteWithoutTransaction { db in
                do {
                    try db.inTransaction {
                        try db.execute(sql: "LOCK TABLE player IN ACCESS EXCLUSIVE MODE")
                        isLocked.signal()
                        mayEnd.wait()
                        try db.execute(sql: "INSERT INTO player VALUES (?)", arguments: [id])
                        return .commit
                    }
                } catch {
                    XCTFail("\(error)")
                    isLocked.signal()
                }
                ended.append(())
            }
            isLocked.wait()
            defer {
                mayEnd.signal()
                ended.wait(count: 1)
            }
            try body()
        }

        // MARK: - The queue of the writer

        func testALongTransactionDelaysNoValue() throws {
            let (dbPool, other) = (try makePool(), try makePool())
            try makeTables(dbPool)
            let (values, cancellable) = observe(ids, in: dbPool)
            values.wait(last: [])
            let (isOpen, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            dbPool.asyncWriteWithoutTransaction { db in
                do {
                    try db.inTransaction {
                        try db.execute(sql: "INSERT INTO other VALUES (1)")
                        isOpen.signal()
                        mayEnd.wait()
                        return .commit
                    }
                } catch {
                    XCTFail("\(error)")
                    isOpen.signal()
                }
            }
            isOpen.wait()
            for id in 1...5 {
                try insert(id, other)
                values.wait(last: Array(1...id))
            }
            mayEnd.signal()
            cancellable.cancel()
        }

        // MARK: - Locks and limits

        /// Each limit is that of the sessions of the pool, as it is with `ALTER ROLE … SET`.
        func testLimitsOfTimePostponeFetches() throws {
            for (option, sqlState) in [("lock_timeout", "55P03"), ("statement_timeout", "57014")] {
                let admin = try makePool()
                try makeTables(admin)
                let dbPool = try DatabasePool(server: "\(address)%20-c\(option)%3D100")
                let (values, first) = observe(ids, in: dbPool)
                values.wait(last: [])
                let shared = ids.shared(in: dbPool, scheduling: .async(onQueue: .global()))
                let sharedValues = Recorder<[Int]>()
                let second = shared.start(
                    onError: { XCTFail("\($0)") }, onChange: { sharedValues.append($0) })
                sharedValues.wait(last: [])
                let (grouped, third) = observe(
                    ObservationGroup(ids, ids.map(\.count)).observation.map { $0.0 }, in: dbPool)
                grouped.wait(last: [])
                try whileLocked(insert: 1) {
                    try insert(1, into: "other", admin)
                    XCTAssertEqual(waitForPostponement(dbPool), [sqlState])
                }
                for values in [values, sharedValues, grouped] { values.wait(last: [1]) }
                for cancellable in [first, second, third] { cancellable.cancel() }
                try dbPool.close()
                try admin.write { db in try db.execute(sql: "DROP TABLE player; DROP TABLE other") }
            }
        }

        func testLimitsOfTimePostponeFirstFetches() throws {
            let admin = try makePool()
            try makeTables(admin)
            let dbPool = try DatabasePool(server: "\(address)%20-clock_timeout%3D100")
            let started = Recorder<(Recorder<[Int]>, AnyDatabaseCancellable)>()
            try whileLocked(insert: 1) {
                started.append(observe(ids, in: dbPool))
                XCTAssertEqual(waitForPostponement(dbPool), ["55P03"])
            }
            for (values, cancellable) in started.all {
                values.wait(last: [1])
                cancellable.cancel()
            }
        }

        /// Only the observation that needs the lock waits.
        func testAPostponedFetchDelaysNoOtherObservation() throws {
            let admin = try makePool()
            try makeTables(admin)
            let dbPool = try DatabasePool(server: "\(address)%20-clock_timeout%3D50")
            let (values, first) = observe(ids, in: dbPool)
            values.wait(last: [])
            let (others, second) = observe(
                .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM other") ?? -1 }, in: dbPool)
            others.wait(last: 0)
            try whileLocked(insert: 1) {
                for number in 1...5 {
                    try insert(number, into: "other", admin)
                    others.wait(last: number)
                }
            }
            values.wait(last: [1])
            for cancellable in [first, second] { cancellable.cancel() }
        }

        func testAFetchThatAnAdministratorCancelsIsRepeated() throws {
            let admin = try makePool()
            let dbPool = try makePool(application: application)
            try makeTables(dbPool)
            let (values, cancellable) = observe(ids, in: dbPool)
            values.wait(last: [])
            try whileLocked(insert: 1) {
                try insert(1, into: "other", admin)
                try whenBlocked(admin) { "pg_cancel_backend(\($0))" }
                XCTAssertEqual(waitForPostponement(dbPool), ["57014"])
            }
            values.wait(last: [1])
            cancellable.cancel()
        }

        /// Calls a function of the server with the session of the pool that waits for a lock.
        private func whenBlocked(_ admin: DatabasePool, _ function: (String) -> String) throws {
            let call = function("pid")
            while try admin.read({ db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT \(call) FROM pg_stat_activity
                        WHERE application_name = ? AND wait_event_type = 'Lock'
                        """, arguments: [application])
            }).isEmpty {}
        }

        func testAnInterruptOfTheProgramEndsTheObservation() throws {
            let admin = try makePool()
            let dbPool = try makePool(application: application)
            try makeTables(dbPool)
            let (errors, values) = (Recorder<ResultCode>(), Recorder<[Int]>())
            let cancellable = ids.start(
                in: dbPool, scheduling: .async(onQueue: .global()),
                onError: { errors.append(($0 as? DatabaseError)?.resultCode ?? .SQLITE_OK) },
                onChange: { values.append($0) })
            values.wait(last: [])
            try whileLocked(insert: 1) {
                try insert(1, into: "other", admin)
                try whenBlocked(admin) { $0 }
                dbPool.interrupt()
                errors.wait(last: .SQLITE_INTERRUPT)
            }
            cancellable.cancel()
        }

        func testAFetchWaitsUntilTheServerAcceptsItsConnection() throws {
            let admin = try makePool()
            try makeTables(admin)
            let role = "role_\(schemaName)"
            // The writer and the feed of commits.
            try admin.write { db in
                try db.execute(sql: "CREATE ROLE \(role) LOGIN CONNECTION LIMIT 2")
                try db.execute(sql: "GRANT USAGE ON SCHEMA \(self.schemaName) TO \(role)")
                try db.execute(sql: "GRANT SELECT ON player TO \(role)")
            }
            defer {
                try? admin.write { db in try db.execute(sql: "DROP OWNED BY \(role); DROP ROLE \(role)") }
            }
            let dbPool = try DatabasePool(server: "\(address)&user=\(role)")
            let (values, cancellable) = observe(ids, in: dbPool)
            _ = waitForPostponement(dbPool)
            try admin.write { db in try db.execute(sql: "ALTER ROLE \(role) CONNECTION LIMIT 5") }
            values.wait(last: [])
            try insert(1, admin)
            values.wait(last: [1])
            cancellable.cancel()
            try dbPool.close()
        }

        // MARK: - Defaults

        func testThereIsNoDefaultLimitForLocks() throws {
            let limits = { (configuration: Configuration) in
                let dbPool = try self.makePool(configuration)
                let show = { @Sendable (db: Database) in try String.fetchOne(db, sql: "SHOW lock_timeout") }
                return [try dbPool.read(show), try dbPool.write(show)]
            }
            var configuration = Configuration()
            XCTAssertEqual(try limits(configuration), ["0", "0"])
            configuration.foreignChanges = .observed
            XCTAssertEqual(try limits(configuration), ["0", "0"])
            configuration.busyMode = .timeout(3)
            XCTAssertEqual(try limits(configuration), ["3s", "3s"])
        }

        func testTheStatusShowsWhyChangesAreCoarse() throws {
            let dbPool = try makePool()
            try makeTables(dbPool)
            let (values, cancellable) = observe(ids, in: dbPool)
            values.wait(last: [])
            // Before it knows the reason, the feed is being connected.
            let reasons = ["no publication", "wal_level"]
            while !reasons.contains(where: { dbPool.observations.first?.coarseReason?.contains($0) == true })
            { sched_yield() }
            XCTAssertNil(dbPool.observations.first?.postponingError)
            cancellable.cancel()
        }

        func testAQueueOpensNoServer() throws {
            let location = StorageLocation.server(StorageAddress(address))
            XCTAssertThrowsError(
                try DatabaseQueue(
                    backend: PostgresBackend(), location: location, configuration: Configuration())
            ) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
                XCTAssertTrue("\(error)".contains("DatabasePool"), "\(error)")
            }
        }
    }
#endif
