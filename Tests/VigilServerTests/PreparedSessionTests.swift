#if PostgreSQL
    import Foundation
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Sessions that a pool prepares with a role and a tenant, and that end.
    final class PreparedSessionTests: ServerTestCase {
        private var role: String { "role_\(schemaName)" }
        private var application: String { "app_\(schemaName)" }

        /// Returns a pool that sees the rows of a tenant only, and one that sees all.
        private func makePools() throws -> (tenant: DatabasePool, admin: DatabasePool) {
            let admin = try makePool()
            try admin.write { [role, schemaName] db in
                try db.execute(
                    sql: """
                        CREATE TABLE doc (id INT PRIMARY KEY, tenant TEXT NOT NULL DEFAULT current_setting('app.tenant'));
                        INSERT INTO doc VALUES (1, 'blue'), (2, 'red');
                        ALTER TABLE doc ENABLE ROW LEVEL SECURITY;
                        CREATE POLICY own ON doc USING (tenant = current_setting('app.tenant', true));
                        CREATE ROLE \(role);
                        GRANT USAGE ON SCHEMA \(schemaName) TO \(role);
                        GRANT ALL ON doc TO \(role)
                        """)
            }
            var configuration = Configuration()
            configuration.prepareDatabase { [role] db in
                try db.execute(sql: "SET ROLE \(role)")
                try db.execute(sql: "SELECT set_config('app.tenant', ?, false)", arguments: ["blue"])
            }
            return (try makePool(application: application, configuration), admin)
        }

        private func removeRole(_ admin: DatabasePool) throws {
            try admin.write { [role] db in try db.execute(sql: "DROP OWNED BY \(role); DROP ROLE \(role)") }
        }

        /// Ends the sessions of the pool that sees one tenant.
        private func terminate(_ admin: DatabasePool) throws {
            try admin.write { [application] db in
                try db.execute(
                    sql:
                        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = ?",
                    arguments: [application])
            }
        }

        private let ids: @Sendable (Database) throws -> [Int] = { db in
            XCTAssertEqual(try String.fetchOne(db, sql: "SELECT current_setting('app.tenant')"), "blue")
            return try Int.fetchAll(db, sql: "SELECT id FROM doc ORDER BY id")
        }

        func testAccessesSeeTheirTenantAfterTheirSessionsEnd() throws {
            let (dbPool, admin) = try makePools()
            defer { XCTAssertNoThrow(try removeRole(admin)) }
            for round in 3..<8 {
                try terminate(admin)
                XCTAssertEqual(try dbPool.read(ids), [1] + Array(3..<round))
                try terminate(admin)
                try dbPool.write { db in
                    XCTAssertEqual(try String.fetchOne(db, sql: "SELECT current_user::text"), role)
                    try db.execute(sql: "INSERT INTO doc (id) VALUES (?)", arguments: [round])
                    XCTAssertEqual(try ids(db), [1] + Array(3...round))
                }
                try terminate(admin)
                let snapshot = try dbPool.makeSnapshot()
                XCTAssertEqual(try snapshot.read(ids), [1] + Array(3...round))
            }
            try dbPool.close()
        }

        func testObservationsSeeTheirTenantAfterTheirSessionsEnd() throws {
            let (dbPool, admin) = try makePools()
            defer { XCTAssertNoThrow(try removeRole(admin)) }
            let values = Recorder<[Int]>()
            let cancellable = ValueObservation.tracking(ids).start(
                in: dbPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            for round in 3..<13 {
                try terminate(admin)
                try admin.write { db in
                    try db.execute(
                        sql: "INSERT INTO doc VALUES (?, 'blue'), (?, 'red')",
                        arguments: [round, round + 100])
                }
                let expected = [1] + Array(3...round)
                let received = values.wait { $0.contains(expected) }
                XCTAssertTrue(received.contains(expected))
                XCTAssertFalse(received.contains { $0.contains(2) || $0.contains(round + 100) })
            }
            cancellable.cancel()
            try dbPool.close()
        }

        /// Without its role, a session must not be used.
        func testAccessesFailWhileTheirSessionsCannotBePrepared() throws {
            let (dbPool, admin) = try makePools()
            try dbPool.read { _ = try ids($0) }
            try admin.write { [role] db in try db.execute(sql: "ALTER ROLE \(role) RENAME TO \(role)_x") }
            try terminate(admin)
            for _ in 0..<2 {
                XCTAssertThrowsError(try dbPool.read { _ = try ids($0) }) { error in
                    XCTAssertTrue("\(error)".contains("could not be prepared: role"), "\(error)")
                    XCTAssertEqual((error as? DatabaseError)?.sqlState, "22023")
                }
                XCTAssertThrowsError(try dbPool.write { try $0.execute(sql: "DELETE FROM doc") })
            }
            try admin.write { [role] db in try db.execute(sql: "ALTER ROLE \(role)_x RENAME TO \(role)") }
            XCTAssertEqual(try dbPool.read(ids), [1])
            try removeRole(admin)
            XCTAssertThrowsError(
                try dbPool.write { [role] in try $0.execute(sql: "SET ROLE \(role)") })
        }

        /// A preparation does not belong to the fetch: it does not make the region larger, nor runs in its
        /// transaction.
        func testThePreparationMayUseRequests() throws {
            let admin = try makePool()
            try admin.write { db in
                try db.execute(
                    sql:
                        "CREATE TABLE setting (name TEXT, value TEXT); INSERT INTO setting VALUES ('a.b', 'c')"
                )
            }
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                for row in try Row.fetchAll(db, sql: "SELECT name, value FROM setting") {
                    try db.execute(
                        sql: "SELECT set_config(?, ?, false)",
                        arguments: [row[0] as String, row[1] as String])
                }
            }
            let dbPool = try makePool(application: application, configuration)
            for _ in 0..<3 {
                try terminate(admin)
                let value = try dbPool.read { try String.fetchOne($0, sql: "SELECT current_setting('a.b')") }
                XCTAssertEqual(value, "c")
                try terminate(admin)
                try dbPool.write { db in
                    XCTAssertEqual(try String.fetchOne(db, sql: "SELECT current_setting('a.b')"), "c")
                    XCTAssertTrue(db.isInsideTransaction)
                }
            }
            try dbPool.close()
        }

        func testTheDescriptionOfAnErrorHasTheHintOfTheServer() throws {
            let dbPool = try makePool()
            try dbPool.write { try $0.execute(sql: "CREATE TABLE player (score INT)") }
            XCTAssertThrowsError(try dbPool.read { try Int.fetchAll($0, sql: "SELECT scor FROM player") }) {
                let error = $0 as? DatabaseError
                XCTAssertTrue(error?.diagnostics?.hint?.contains("player.score") == true, "\($0)")
                XCTAssertTrue("\($0)".contains("Perhaps you meant"), "\($0)")
            }
        }

        @MainActor func testAMirrorOfAPoolShowsNoPassword() throws {
            let dbPool = try DatabasePool(server: address + "&password=s3cr3t-word")
            let cancellable = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT 1") }.start(
                in: dbPool, scheduling: .immediate, onError: { XCTFail("\($0)") }, onChange: { _ in })
            var text = ""
            dump(dbPool, to: &text)
            dump(dbPool.configuration, to: &text)
            dump(cancellable, to: &text)
            XCTAssertFalse(text.contains("s3cr3t"))
            XCTAssertTrue(text.contains("DatabasePool"))
            cancellable.cancel()
        }
    }
#endif
