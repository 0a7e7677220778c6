#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    /// A test in a database of its own, for publications.
    class PublicationTestCase: ServerTestCase {
        private(set) var databaseAddress = ""
        /// The options of the database.
        var options: String { "" }

        override func setUpWithError() throws {
            try super.setUpWithError()
            databaseAddress = address(database: schemaName)
            try runOnServer("CREATE DATABASE \(schemaName) \(options)")
        }

        override func tearDownWithError() throws {
            if !schemaName.isEmpty {
                let server = try makePool()
                let sql = "SELECT count(*) FROM pg_replication_slots WHERE database = '\(schemaName)'"
                while try server.read({ db in try Int.fetchOne(db, sql: sql) }) != 0 { sched_yield() }
                try runOnServer("DROP DATABASE \(schemaName) WITH (FORCE)")
            }
            try super.tearDownWithError()
        }

        private func runOnServer(_ sql: String) throws {
            let server = try makePool()
            try server.writeWithoutTransaction { db in try db.execute(sql: sql) }
            try server.close()
        }

        /// Opens a pool, and waits until its feed is precise.
        func makePrecisePool(
            _ configuration: Configuration = Configuration()
        ) throws -> DatabasePool {
            let dbPool = try DatabasePool(server: databaseAddress, configuration: configuration)
            let end = ContinuousClock.now + .seconds(30)
            while dbPool.feedState != .precise, ContinuousClock.now < end { sched_yield() }
            XCTAssertEqual(dbPool.feedState, .precise)
            return dbPool
        }

        /// Runs a statement on the test's database.
        func run(_ sql: String) throws {
            let dbPool = try DatabasePool(server: databaseAddress)
            try dbPool.writeWithoutTransaction { db in try db.execute(sql: sql) }
            try dbPool.close()
        }
    }
#endif
