#if PostgreSQL
    import Foundation
    import Synchronization
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Observations of some rows, with a feed that reports rows.
    final class RowObservationTests: PublicationTestCase {
        /// Many observations of one query with different arguments.
        private final class Observations: Sendable {
            /// The number of fetches, and of values, for each argument.
            private let counts = Mutex<(fetches: [Int: Int], values: [Int: Int])>(([:], [:]))
            private let cancellables = Mutex<[AnyDatabaseCancellable]>([])

            var fetchCount: Int { counts.withLock { $0.fetches.values.reduce(0, +) } }

            func start(_ sql: String, for arguments: some Sequence<Int>, in dbPool: DatabasePool) {
                for argument in arguments {
                    let observation = ValueObservation.tracking { [self] db in
                        counts.withLock { $0.fetches[argument, default: 0] += 1 }
                        return try Int.fetchAll(db, sql: sql, arguments: [argument])
                    }
                    let cancellable = observation.start(
                        in: dbPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                        onChange: { [self] _ in counts.withLock { $0.values[argument, default: 0] += 1 } })
                    cancellables.withLock { $0.append(cancellable) }
                }
            }

            /// Waits until an argument has a number of values.
            func wait(for argument: Int, _ count: Int, line: UInt = #line) {
                let end = ContinuousClock.now + .seconds(30)
                while counts.withLock({ $0.values[argument, default: 0] }) < count, ContinuousClock.now < end
                { sched_yield() }
                XCTAssertEqual(counts.withLock { $0.values[argument, default: 0] }, count, line: line)
            }

            func cancel() { for cancellable in cancellables.withLock({ $0 }) { cancellable.cancel() } }
        }

        private let players = """
            CREATE TABLE player (id INT PRIMARY KEY, team INT NOT NULL, score INT NOT NULL, UNIQUE (team, id));
            ALTER TABLE player REPLICA IDENTITY USING INDEX player_team_id_key;
            CREATE TABLE probe (id INT PRIMARY KEY);
            INSERT INTO player SELECT i, i, 0 FROM generate_series(1, 1000) i;
            CREATE PUBLICATION vigil FOR TABLE player, probe
            """

        func testACommitFetchesOnlyTheObservationsOfItsRows() throws {
            try run(players)
            let dbPool = try makePrecisePool()
            let observations = Observations()
            observations.start("SELECT id FROM player WHERE team = ? ORDER BY id", for: 1...1_000, in: dbPool)
            for team in 1...1_000 { observations.wait(for: team, 1) }
            // Fetches again because of analyses and registrations.
            let probe = Observations()
            probe.start("SELECT count(*) FROM probe WHERE id > ?", for: [0], in: dbPool)
            probe.wait(for: 0, 1)
            let count = observations.fetchCount
            try dbPool.write { db in try db.execute(sql: "INSERT INTO player VALUES (2000, 500, 1)") }
            observations.wait(for: 500, 2)
            try dbPool.write { db in try db.execute(sql: "UPDATE player SET score = 2 WHERE team = 7") }
            try dbPool.write { db in
                try db.execute(sql: "UPDATE player SET team = 3 WHERE id = 4; INSERT INTO probe VALUES (1)")
            }
            observations.wait(for: 3, 2)
            observations.wait(for: 4, 2)
            probe.wait(for: 0, 2)
            // One for the insertion, and two for the changed team. The score is not read.
            XCTAssertEqual(observations.fetchCount, count + 3)
            observations.cancel()
            probe.cancel()
            try dbPool.close()
        }

        func testOneOfTwoThousandObservationsFetchesACommitOfItsRow() throws {
            try run(
                """
                CREATE TABLE player (id INT PRIMARY KEY, score INT NOT NULL);
                INSERT INTO player SELECT i, 0 FROM generate_series(1, 2000) i;
                CREATE PUBLICATION vigil FOR TABLE player
                """)
            let dbPool = try makePrecisePool()
            let observations = Observations()
            observations.start("SELECT score FROM player WHERE id = ?", for: 1...2_000, in: dbPool)
            for id in 1...2_000 { observations.wait(for: id, 1) }
            let count = observations.fetchCount
            for (index, id) in [1_000, 17, 2_000].enumerated() {
                try dbPool.write { db in
                    try db.execute(sql: "UPDATE player SET score = 1 WHERE id = ?", arguments: [id])
                }
                observations.wait(for: id, 2)
                XCTAssertEqual(observations.fetchCount, count + index + 1)
            }
            try dbPool.write { db in try db.execute(sql: "DELETE FROM player WHERE id IN (1, 2)") }
            observations.wait(for: 1, 2)
            observations.wait(for: 2, 2)
            XCTAssertEqual(observations.fetchCount, count + 5)
            observations.cancel()
            try dbPool.close()
        }

        /// Roles belong to all databases of a server, and other programs create some all the time.
        func testChangesOfRolesFetchOnlyForReadersThatMayHaveThem() throws {
            try run(players)
            let admin = try DatabasePool(server: databaseAddress)
            let role = "role_\(schemaName)"
            defer {
                try? admin.write { db in try db.execute(sql: "DROP OWNED BY \(role); DROP ROLE \(role)") }
            }
            try admin.write { db in
                try db.execute(
                    sql: """
                        CREATE ROLE \(role); GRANT SELECT ON player TO \(role);
                        ALTER TABLE player ENABLE ROW LEVEL SECURITY
                        """)
            }
            let sql = "SELECT count(*) FROM player WHERE id > ?"
            let dbPool = try makePrecisePool()
            let observations = Observations()
            observations.start(sql, for: [0], in: dbPool)
            observations.wait(for: 0, 1)
            let count = observations.fetchCount
            // Long enough for some checks of the catalog.
            for round in 1...20 {
                try admin.write { db in
                    try db.execute(sql: "CREATE ROLE \(role)_2 IN ROLE \(role); ALTER ROLE \(role) BYPASSRLS")
                }
                try admin.write { db in
                    try db.execute(sql: "DROP ROLE \(role)_2; ALTER ROLE \(role) NOBYPASSRLS")
                }
                try admin.write { db in
                    try db.execute(sql: "INSERT INTO player VALUES (2000 + ?, 1, 0)", arguments: [round])
                }
                observations.wait(for: 0, round + 1)
            }
            XCTAssertEqual(observations.fetchCount, count + 20)
            observations.cancel()
            try dbPool.close()

            var configuration = Configuration()
            configuration.prepareDatabase { db in try db.execute(sql: "SET ROLE \(role)") }
            let otherPool = try makePrecisePool(configuration)
            let values = Recorder<Int?>()
            let cancellable = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: sql, arguments: [0])
            }.start(
                in: otherPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            // Without a policy, the role sees no row.
            values.wait(last: 0)
            try admin.write { db in try db.execute(sql: "ALTER ROLE \(role) BYPASSRLS") }
            values.wait(last: 1_020)
            cancellable.cancel()
            try otherPool.close()
            try admin.close()
        }

        func testExplanationsShowTheConditionsThatHold() throws {
            try run(players)
            let dbPool = try makePrecisePool()
            try dbPool.read { db in
                func explain(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws
                    -> String
                {
                    let explanation = try db.explainObservation(sql: sql, arguments: arguments)
                    let conditions = explanation.conditions.values.joined().joined(separator: " AND ")
                    let omissions = explanation.omissions.map { "\($0.text) (\($0.reason))" }.joined(
                        separator: "; ")
                    return ["\(explanation.region)", conditions, omissions].joined(separator: " | ")
                }
                XCTAssertEqual(
                    try explain("SELECT score FROM player WHERE id = ? AND team >= 5", ["7"]),
                    "player(id,score,team) | id = '7' AND team >= 5 | ")
                XCTAssertEqual(
                    try explain("SELECT id FROM player WHERE team = ANY (?)", ["{1,2}"]),
                    "player(id,team) | team = ANY ('{1,2}') | ")
                XCTAssertEqual(
                    try explain("SELECT id FROM player WHERE team = ?", [" 7"]),
                    "player(id,team) |  | team = ' 7' (how these values compare is not certain)")
                XCTAssertEqual(
                    try explain("SELECT id FROM player WHERE team = 7 AND abs(score) > 3"),
                    "player(id,score,team) |  | WHERE (a condition may fail because of a row)")
            }
            try dbPool.close()
        }
    }
#endif
