#if PostgreSQL
    import Foundation
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Observations of a database on a server.
    final class ServerObservationTests: ServerTestCase {
        private func makeTable(_ dbPool: DatabasePool) throws {
            try dbPool.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE player (id INT PRIMARY KEY, score INT NOT NULL);
                        CREATE TABLE other (id INT PRIMARY KEY)
                        """)
            }
        }

        private func insert(_ id: Int, into table: String = "player", _ dbPool: DatabasePool) throws {
            let values = table == "player" ? "(?, 0)" : "(?)"
            try dbPool.write { db in
                try db.execute(sql: "INSERT INTO \(table) VALUES \(values)", arguments: [id])
            }
        }

        private let ids = ValueObservation.tracking { db in
            try Int.fetchAll(db, sql: "SELECT id FROM player ORDER BY id")
        }

        private func observe<Reducer: ValueReducer>(
            _ observation: ValueObservation<Reducer>, in reader: any DatabaseReader,
            _ scheduler: any ValueObservationScheduler = .async(onQueue: .global())
        ) -> (Recorder<Reducer.Value>, AnyDatabaseCancellable) {
            let values = Recorder<Reducer.Value>()
            let cancellable = observation.start(
                in: reader, scheduling: scheduler, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            return (values, cancellable)
        }

        func testCommitsOfAllConnectionsAreObserved() throws {
            let (dbPool, other) = (try makePool(), try makePool())
            try makeTable(dbPool)
            let (values, cancellable) = observe(ids, in: dbPool)
            values.wait(last: [])
            var expected: [[Int]] = [[]]
            for id in 1...10 {
                try insert(id, id.isMultiple(of: 2) ? dbPool : other)
                expected.append(Array(1...id))
                values.wait(last: Array(1...id))
            }
            XCTAssertEqual(values.all, expected)
            cancellable.cancel()
        }

        /// Changes are coarse, so each commit is fetched, and equal results are dropped.
        func testEqualValuesAreNotDeliveredAgain() throws {
            let dbPool = try makePool()
            try makeTable(dbPool)
            let (values, cancellable) = observe(ids, in: dbPool)
            values.wait(last: [])
            for id in 1...10 {
                try insert(id, into: "other", dbPool)
                if id.isMultiple(of: 5) { try insert(id, dbPool) }
            }
            values.wait(last: [5, 10])
            XCTAssertEqual(values.all.filter { $0 == [] }.count, 1)
            cancellable.cancel()
        }

        /// The fetches of a commit share a transaction, and each of them begins with the settings of the
        /// session.
        func testSettingsOfAFetchDoNotApplyToOthers() throws {
            let (dbPool, other) = (try makePool(), try makePool())
            try makeTable(dbPool)
            @Sendable func describe(_ db: Database) throws -> String {
                let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM player") ?? -1
                let tenant = try String.fetchOne(db, sql: "SELECT current_setting('app.tenant', true)")
                return "\(tenant ?? "") \(count)"
            }
            let (red, cancellable) = observe(
                .tracking { db in
                    try db.execute(sql: "SET LOCAL app.tenant = 'red'")
                    return try describe(db)
                }, in: dbPool)
            // The order of fetches is undefined, and all but one order have some of these after the red one.
            let others = (0..<9).map { _ in observe(.tracking { db in try describe(db) }, in: dbPool) }
            for id in 0...5 {
                if id > 0 { try insert(id, other) }
                for values in [red] + others.map(\.0) {
                    values.wait { $0.last?.hasSuffix(" \(id)") == true }
                }
            }
            XCTAssertTrue(red.all.allSatisfy { $0.hasPrefix("red ") }, "\(red.all)")
            for values in others.map(\.0) {
                XCTAssertTrue(values.all.allSatisfy { $0.hasPrefix(" ") }, "\(values.all)")
            }
            for cancellable in [cancellable] + others.map(\.1) { cancellable.cancel() }
        }

        /// The rows stay the same.
        func testAValueOfTheSchemaIsDelivered() throws {
            let (dbPool, other) = (try makePool(), try makePool())
            try makeTable(dbPool)
            let (values, cancellable) = observe(
                .tracking { db in
                    let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? -1
                    return try db.tableExists("team") ? count : -1
                }, in: dbPool)
            values.wait(last: -1)
            try other.write { db in try db.execute(sql: "CREATE TABLE team (id INT PRIMARY KEY)") }
            values.wait(last: 0)
            cancellable.cancel()
        }

        func testAChangedColumnIsObserved() throws {
            let (dbPool, other) = (try makePool(), try makePool())
            try makeTable(dbPool)
            try insert(1, dbPool)
            let (rows, cancellable) = observe(
                .tracking { db in
                    try Row.fetchAll(db, sql: "SELECT * FROM player").map {
                        $0.columnNames.joined(separator: " ")
                    }
                }, in: dbPool)
            rows.wait(last: ["id score"])
            try other.write { db in try db.execute(sql: "ALTER TABLE player ADD COLUMN name TEXT") }
            rows.wait(last: ["id score name"])
            cancellable.cancel()
        }

        func testAllKindsOfStartsObserve() throws {
            let dbPool = try makePool()
            try makeTable(dbPool)
            let (immediate, first) = observe(ids, in: dbPool, ImmediateValueObservationScheduler())
            XCTAssertEqual(immediate.all, [[]])
            let shared = ids.shared(in: dbPool, scheduling: .async(onQueue: .global()))
            let sharedValues = Recorder<[Int]>()
            let second = shared.start(onError: { XCTFail("\($0)") }, onChange: { sharedValues.append($0) })
            let (throttled, third) = observe(ids.throttled(.milliseconds(1)), in: dbPool)
            let (each, fourth) = observe(ids.coalescing(.never), in: dbPool)
            let all = [immediate, sharedValues, throttled, each]
            for values in all { values.wait(last: []) }
            try insert(1, dbPool)
            for values in all { values.wait(last: [1]) }
            for cancellable in [first, second, third, fourth] { cancellable.cancel() }
        }

        /// The table does not exist in between.
        func testMigrationsAreOneChange() throws {
            let dbPool = try makePool()
            try makeTable(dbPool)
            try insert(1, dbPool)
            let (values, cancellable) = observe(ids, in: dbPool)
            values.wait(last: [1])
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { db in
                try db.execute(sql: "ALTER TABLE player RENAME TO old")
            }
            migrator.registerMigration("v2") { db in
                try db.execute(sql: "CREATE TABLE player (id INT PRIMARY KEY, score INT NOT NULL)")
            }
            migrator.registerMigration("v3") { db in
                try db.execute(sql: "INSERT INTO player SELECT id + 1, score FROM old; DROP TABLE old")
            }
            try migrator.migrate(dbPool)
            values.wait(last: [2])
            XCTAssertEqual(values.all, [[1], [2]])
            cancellable.cancel()
        }

        /// The feed would report what the fetch writes, and the observation would fetch without end.
        func testFetchesMustNotWrite() throws {
            let dbPool = try makePool()
            try makeTable(dbPool)
            var observation = ids
            observation.requiresWriteAccess = true
            let errors = Recorder<ResultCode>()
            let cancellable = observation.start(
                in: dbPool, scheduling: .async(onQueue: .global()),
                onError: { errors.append(($0 as? DatabaseError)?.resultCode ?? .SQLITE_OK) },
                onChange: { _ in XCTFail("it fetches") })
            errors.wait(last: .SQLITE_MISUSE)
            cancellable.cancel()
        }

        func testRegionsAreObservedAfterCommits() throws {
            let (dbPool, other) = (try makePool(), try makePool())
            try makeTable(dbPool)
            let counts = Recorder<Int>()
            let cancellable = DatabaseRegionObservation(tracking: .fullDatabase).start(
                in: dbPool, onError: { XCTFail("\($0)") },
                onChange: { db in
                    counts.append((try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")) ?? -1)
                })
            try insert(1, dbPool)
            counts.wait(last: 1)
            try insert(2, other)
            counts.wait(last: 2)
            cancellable.cancel()
        }

        func testAReadOnlyPoolObserves() throws {
            let writer = try makePool()
            try makeTable(writer)
            var configuration = Configuration()
            configuration.readonly = true
            let reader = try makePool(configuration)
            let (values, cancellable) = observe(ids, in: reader)
            values.wait(last: [])
            try insert(1, writer)
            values.wait(last: [1])
            XCTAssertThrowsError(try insert(2, reader)) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_READONLY)
            }
            cancellable.cancel()
        }

        func testAStandbyIsObserved() throws {
            guard let standby = ProcessInfo.processInfo.environment["VIGIL_POSTGRES_STANDBY"] else {
                throw XCTSkip("VIGIL_POSTGRES_STANDBY is not set")
            }
            let writer = try makePool()
            try makeTable(writer)
            var configuration = Configuration()
            configuration.readonly = true
            let reader = try DatabasePool(
                server: "\(standby)&options=-csearch_path%3D\(schemaName)", configuration: configuration)
            // The standby may not have replayed the creation of the table yet.
            let tables = ValueObservation.tracking { db in try db.tableExists("player") }
            let (exists, first) = observe(tables, in: reader)
            exists.wait(last: true)
            first.cancel()
            let (values, cancellable) = observe(ids, in: reader)
            for id in 1...5 {
                try insert(id, writer)
                values.wait(last: Array(1...id))
            }
            cancellable.cancel()
        }

        /// One address leads first to the primary, and then to the standby.
        func testAnObservationDoesNotFetchFromAnotherServerThanTheFeed() throws {
            guard let standby = ProcessInfo.processInfo.environment["VIGIL_POSTGRES_STANDBY"] else {
                throw XCTSkip("VIGIL_POSTGRES_STANDBY is not set")
            }
            let directory = try TemporaryDirectory()
            func lead(to url: String) throws {
                let link = directory.file(".s.PGSQL.5432")
                let socket = try XCTUnwrap(ServerAddress(url).socketPath)
                try? FileManager.default.removeItem(atPath: link)
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: socket)
            }
            try lead(to: address)
            let dbPool = try DatabasePool(
                server: ServerAddress(address).onSocket(in: directory.path, port: 5432).url)
            try makeTable(dbPool)
            try lead(to: standby)
            let fetches = Recorder<Int>()
            let (values, cancellable) = observe(
                ValueObservation.tracking { db in
                    fetches.append(1)
                    return try Int.fetchAll(db, sql: "SELECT id FROM player")
                }, in: dbPool)
            while fetches.all.isEmpty, dbPool.observations.contains(where: { $0.postponingError == nil }) {}
            XCTAssertEqual(fetches.all, [])
            try lead(to: address)
            values.wait(last: [])
            cancellable.cancel()
            try dbPool.close()
        }

        func testTransactionObserversAreRefused() throws {
            final class Observer: TransactionObserver {
                func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
                func databaseDidChange(with event: DatabaseEvent) {}
                func databaseDidCommit(_ db: Database) {}
                func databaseDidRollback(_ db: Database) {}
            }
            let dbPool = try makePool()
            try makeTable(dbPool)
            dbPool.add(transactionObserver: Observer())
            XCTAssertThrowsError(try insert(1, dbPool)) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
            }
            try insert(1, dbPool)
        }

        /// All observations of a round read one snapshot, also if one of them fails.
        func testAFailingFetchEndsOnlyItsObservation() throws {
            let (dbPool, other) = (try makePool(), try makePool())
            try makeTable(dbPool)
            let errors = Recorder<String>()
            let (first, cancellable1) = observe(ids, in: dbPool)
            let failing = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT 10 / (1 - COUNT(*)) FROM player")
            }
            .start(
                in: dbPool, scheduling: .async(onQueue: .global()),
                onError: { errors.append(($0 as? DatabaseError)?.sqlState ?? "\($0)") }, onChange: { _ in })
            let (second, cancellable2) = observe(ids, in: dbPool)
            for values in [first, second] { values.wait(last: []) }
            try insert(1, other)
            for values in [first, second] { values.wait(last: [1]) }
            errors.wait(last: "22012")
            try insert(2, other)
            for values in [first, second] { values.wait(last: [1, 2]) }
            for cancellable in [cancellable1, failing, cancellable2] { cancellable.cancel() }
        }
    }
#endif
