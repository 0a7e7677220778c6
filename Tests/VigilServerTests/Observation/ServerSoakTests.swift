#if PostgreSQL && os(Linux)
    import Foundation
    import Synchronization
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Observations while eight clients write, and while sessions, the server and its settings fail at
    /// random. No observation ends, and after each round all last values equal fresh ones.
    final class ServerSoakTests: XCTestCase {
        /// An event while clients write.
        private enum Fault: String, CaseIterable {
            case none, streamsEnd, sessionsEnd, restart, crash, openTransaction, standby, publication
            case definitions, truncation, preparedTransaction
        }

        private var random = SeededRandom.seeded()
        private var server: OwnServer!
        private var admin: PlainSession!
        private var dbPool: DatabasePool!
        private var writers: [RandomWriter] = []

        override func setUpWithError() throws {
            server = try OwnServer()
            admin = try server.connect()
            try admin.query("ALTER SYSTEM SET deadlock_timeout = '50ms'")
            try admin.query("SELECT pg_reload_conf()")
            try admin.query(
                """
                \(RandomRows.definitions(&random)); CREATE UNLOGGED TABLE l (id int);
                CREATE FUNCTION teams() RETURNS bigint BEGIN ATOMIC SELECT sum(team) FROM t; END
                """)
        }

        override func tearDownWithError() throws {
            try dbPool?.close()
            (writers, admin, dbPool, server) = ([], nil, nil, nil)
        }

        func testNothingIsMissedWhileServersFail() throws {
            print("seed \(random.seed)")
            dbPool = try DatabasePool(server: server.address)
            let fixed = ["SELECT count(*) FROM l", "SELECT teams()", "SELECT count(*), sum(team) FROM t"]
            let observed =
                (fixed.map { RandomQuery(sql: $0) } + (0..<37).map { _ in RandomRows.query(&random) })
                .map { ObservedQuery($0, in: dbPool) }
            let begin = Date()
            var (counts, commits) = ([String: Int](), 0)
            var faults: [Fault] = []
            var round = 0
            while RandomTestSettings.goesOn(after: round, of: Fault.allCases.count, since: begin) {
                if faults.isEmpty { faults = Fault.allCases.shuffled(using: &random) }
                let fault = faults.removeLast()
                // Faults concern a stream.
                wait { dbPool.feedState == .precise }
                let most = RandomTestSettings.soakSeconds == nil ? 40 : 2_000
                writers = (0..<8).map { _ in
                    let count = Int.random(in: 5...most, using: &random)
                    return RandomWriter(to: server, seed: random.next(), count: count)
                }
                try cause(fault)
                wait { writers.allSatisfy { $0.isFinished } }
                try settle()
                commits += writers.reduce(0) { $0 + $1.commitCount.load(ordering: .relaxed) }
                counts[fault.rawValue, default: 0] += 1
                round += 1
                if let missed = try ObservedQuery.firstMissed(observed, dbPool) {
                    return XCTFail("missed in round \(round), \(fault): \(missed)")
                }
            }
            let fetches = observed.reduce(0) { $0 + $1.fetchCount.load(ordering: .relaxed) }
            print("\(round) rounds, \(commits) commits, \(fetches) fetches, \(counts)")
            XCTAssertGreaterThan(commits, round * 40)
            for observer in observed { observer.cancel() }
        }

        /// Waits until a condition holds, without using the processor.
        private func wait(line: UInt = #line, until isDone: () -> Bool) {
            let end = ContinuousClock.now + .seconds(RandomTestSettings.soakSeconds == nil ? 60 : 600)
            while !isDone() {
                // A fault may have ended the session. The wait then uses the processor.
                _ = try? admin.query("SELECT pg_sleep(0.001)")
                guard ContinuousClock.now < end else {
                    return XCTFail(
                        "no end: \(String(describing: dbPool.feedState))", line: line)
                }
            }
        }

        private var isWriting: Bool { writers.contains { !$0.isFinished } }

        // MARK: - Faults

        private func cause(_ fault: Fault) throws {
            switch fault {
            case .none: break
            case .streamsEnd: while isWriting { try endSessions("backend_type = 'walsender'") }
            case .sessionsEnd: try endSessions("backend_type IN ('walsender', 'client backend')")
            case .restart: try restart(isImmediate: false)
            case .crash: try restart(isImmediate: true)
            case .openTransaction: try keepSlotFromBeginning()
            case .standby: try waitForStandby()
            case .publication: try changePublication()
            case .definitions:
                for _ in 0..<4 { _ = try? admin.query("SET lock_timeout = '2s'; \(definition())") }
            case .truncation:
                _ = try? admin.query("TRUNCATE \(random.pick(["t", "s", "p", "p0", "p1", "l"]))")
            case .preparedTransaction: try leavePreparedTransaction()
            }
        }

        private func endSessions(_ condition: String) throws {
            try admin.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(condition) AND pid <> pg_backend_pid()"
            )
        }

        private func restart(isImmediate: Bool) throws {
            try server.restart(isImmediate: isImmediate)
            admin = try server.connect()
        }

        /// Ends streams while a transaction is open, which the slot of the next stream waits for.
        private func keepSlotFromBeginning() throws {
            let session = try server.connect()
            try session.query("BEGIN; SELECT pg_current_xact_id()")
            try endSessions("backend_type = 'walsender'")
            wait { dbPool.feedState != .precise }
            wait { !isWriting }
            // Longer than a slot waits.
            if RandomTestSettings.soakSeconds != nil, random.once(in: 10) {
                try session.query("SELECT pg_sleep(11)")
            }
            try session.query(random.pick(["COMMIT", "ROLLBACK"]))
        }

        /// Makes commits wait for a standby that never answers: they are sent to streams, and not visible.
        private func waitForStandby() throws {
            try admin.query("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
            try admin.query("SELECT pg_reload_conf()")
            let waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            wait { !isWriting || (try? admin.query(waiting).count) ?? 0 > 3 }
            switch Int.random(in: 0..<5, using: &random) {
            case 0: try endSessions("backend_type = 'walsender'")
            case 1: try endSessions("wait_event = 'SyncRep'")
            case 2: try restart(isImmediate: Bool.random(using: &random))
            default: break
            }
            try admin.query("ALTER SYSTEM RESET synchronous_standby_names")
            try admin.query("SELECT pg_reload_conf()")
        }

        private func changePublication() throws {
            let changes = [
                "ALTER PUBLICATION vigil SET TABLE t", "ALTER PUBLICATION vigil SET (publish = 'insert')",
                "DROP PUBLICATION vigil; CREATE PUBLICATION vigil FOR TABLE s, p",
                "ALTER PUBLICATION vigil SET (publish_via_partition_root = true)",
                "DROP PUBLICATION vigil; CREATE PUBLICATION vigil FOR TABLE t WHERE (id > 5), p, s",
                "DROP PUBLICATION vigil",
            ]
            for _ in 0..<3 {
                _ = try? admin.query(random.pick(changes))
            }
        }

        private func definition() -> String {
            random.pick([
                "ALTER TABLE t ADD COLUMN IF NOT EXISTS extra int DEFAULT 5",
                "ALTER TABLE t DROP COLUMN IF EXISTS extra",
                "CREATE OR REPLACE VIEW v AS SELECT id, team FROM t WHERE NOT flag",
                "CREATE OR REPLACE VIEW v AS SELECT id, team FROM t WHERE id > 3",
                "ALTER TABLE t REPLICA IDENTITY FULL", "ALTER TABLE t REPLICA IDENTITY DEFAULT",
                "ALTER TABLE t REPLICA IDENTITY USING INDEX t_team_id_key",
                "CREATE INDEX IF NOT EXISTS i ON t (score)", "DROP INDEX IF EXISTS i",
                "ALTER TABLE p DETACH PARTITION p0", "ALTER TABLE p ATTACH PARTITION p0 FOR VALUES IN (0, 1)",
                "ALTER TABLE t ALTER score TYPE int4", "ALTER TABLE t ALTER score TYPE int8",
                "CREATE OR REPLACE FUNCTION teams() RETURNS bigint BEGIN ATOMIC SELECT count(x) FROM s; END",
                "CREATE OR REPLACE FUNCTION teams() RETURNS bigint BEGIN ATOMIC SELECT sum(team) FROM t; END",
                "ALTER TABLE s RENAME TO s1; CREATE TABLE s (LIKE s1 INCLUDING ALL); DROP TABLE s1",
                "VACUUM FULL t", "CLUSTER t USING t_pkey", "ANALYZE",
            ])
        }

        /// Leaves a prepared transaction, also across a restart.
        private func leavePreparedTransaction() throws {
            let session = try server.connect()
            let prepare = "BEGIN; \(RandomRows.write(&random)); PREPARE TRANSACTION 'left'"
            _ = try? session.query("SET lock_timeout = '1s'; \(prepare)")
            _ = try? session.query("ROLLBACK")
            if random.once(in: 2) { try endSessions("backend_type = 'walsender'") }
            if random.once(in: 4) { try restart(isImmediate: Bool.random(using: &random)) }
            _ = try? admin.query(random.pick(["COMMIT PREPARED 'left'", "ROLLBACK PREPARED 'left'"]))
        }

        /// Ends what the faults have left, so that another stream can begin.
        private func settle() throws {
            for row in try admin.query("SELECT gid FROM pg_prepared_xacts") {
                try admin.query("\(random.pick(["COMMIT", "ROLLBACK"])) PREPARED '\(row[0] ?? "")'")
            }
            _ = try? admin.query(
                "DELETE FROM p1 WHERE k IN (0, 1); ALTER TABLE p ATTACH PARTITION p0 FOR VALUES IN (0, 1)")
            _ = try? admin.query("CREATE PUBLICATION vigil")
            try admin.query(
                """
                ALTER PUBLICATION vigil SET (publish = 'insert, update, delete, truncate',
                    publish_via_partition_root = false);
                ALTER PUBLICATION vigil SET TABLE t, p, s
                """)
        }
    }
#endif
