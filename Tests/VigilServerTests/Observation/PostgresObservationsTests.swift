#if PostgreSQL
    import Foundation
    import Synchronization
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Observations for programs that read the server with another client: here, processes of psql.
    final class PostgresObservationsTests: PublicationTestCase {
        /// Runs a statement with psql, and returns the lines that it prints.
        private static func psql(_ server: String, _ statements: String...) async throws -> [String] {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            let process = Process()
                            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                            process.arguments =
                                ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", server]
                                + statements.flatMap { ["-c", $0] }
                            let output = Pipe()
                            process.standardInput = FileHandle.nullDevice
                            process.standardOutput = output
                            try process.run()
                            let data = output.fileHandleForReading.readDataToEndOfFile()
                            process.waitUntilExit()
                            guard process.terminationStatus == 0 else {
                                throw DatabaseError(message: "psql: \(process.terminationStatus)")
                            }
                            return String(decoding: data, as: UTF8.self).split(separator: "\n").map(
                                String.init)
                        })
                }
            }
        }

        private let players = """
            CREATE TABLE player (id INT PRIMARY KEY, team INT NOT NULL, name TEXT NOT NULL, UNIQUE (team, id));
            ALTER TABLE player REPLICA IDENTITY USING INDEX player_team_id_key;
            CREATE TABLE team (id INT PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO player VALUES (1, 1, 'Ada'), (2, 2, 'Barbara');
            CREATE PUBLICATION vigil FOR TABLE player, team
            """

        /// Waits until the commits are known by row, with a table that is used for nothing else.
        private func makeLive(maximumFetchCount: Int = 8) throws -> PostgresObservations {
            let live = try PostgresObservations(databaseAddress, maximumFetchCount: maximumFetchCount)
            XCTAssertEqual(live.feedState(timeout: 30), .precise)
            return live
        }

        /// The client reads with a role that Vigil's own sessions never have.
        func testChangesOfTheRolesOfAnotherClientAreNoticed() async throws {
            let role = "role_\(schemaName)"
            try run(players)
            try run(
                """
                CREATE ROLE \(role); GRANT SELECT ON player TO \(role);
                ALTER TABLE player ENABLE ROW LEVEL SECURITY
                """)
            let live = try makeLive()
            let server = databaseAddress
            var counts = live.values(of: "SELECT count(*) FROM player", role: role) {
                try await Self.psql(server, "SET ROLE \(role)", "SELECT count(*) FROM player")
            }.makeAsyncIterator()
            let hidden = try await counts.next()
            XCTAssertEqual(hidden, ["0"])
            try run("ALTER ROLE \(role) BYPASSRLS")
            // The first fetch may be repeated after the start.
            var shown = try await counts.next()
            if shown == ["0"] { shown = try await counts.next() }
            XCTAssertEqual(shown, ["2"])
            try live.close()
            try run("DROP OWNED BY \(role); DROP ROLE \(role)")
        }

        func testValuesOfAnotherClientFollowCommits() async throws {
            try run(players)
            let live = try makeLive()
            let server = databaseAddress
            var names = live.values(of: "SELECT name FROM player WHERE team = $1 ORDER BY name", [1]) {
                try await Self.psql(server, "SELECT name FROM player WHERE team = 1 ORDER BY name")
            }.makeAsyncIterator()
            let first = try await names.next()
            XCTAssertEqual(first, ["Ada"])
            _ = try await Self.psql(server, "INSERT INTO player VALUES (3, 1, 'Edgar')")
            while let value = try await names.next(), value != ["Ada", "Edgar"] {}
            _ = try await Self.psql(server, "UPDATE player SET team = 2 WHERE id = 1")
            while let value = try await names.next(), value != ["Edgar"] {}
            // Closing ends the iteration.
            let closing = Task.detached { try live.close() }
            while try await names.next() != nil {}
            try await closing.value
        }

        func testACommitFetchesOnlyForItsRowsAndOnceForEqualStatements() async throws {
            try run(players)
            let live = try makeLive()
            let fetched = Mutex<[Int: Int]>([:])
            let values = Recorder<Int>()
            var tasks: [Task<Void, any Error>] = []
            for team in 1...50 {
                for _ in 0..<2 {
                    let sequence = live.values(of: "SELECT * FROM player WHERE team = ?", [team]) {
                        fetched.withLock { $0[team, default: 0] += 1 }
                        return team
                    }
                    tasks.append(Task { for try await team in sequence { values.append(team) } })
                }
            }
            await values.reached { $0.count == 100 }
            let before = fetched.withLock { $0 }
            XCTAssertEqual(before.count, 50)
            try run("INSERT INTO player VALUES (3, 7, 'Edgar')")
            await values.reached { $0.count == 102 }
            try run("UPDATE player SET team = 9 WHERE id = 3")
            await values.reached { $0.count == 106 }
            XCTAssertEqual(values.all.suffix(6).sorted(), [7, 7, 7, 7, 9, 9])
            let after = fetched.withLock { $0 }.filter { $0.value != before[$0.key] }
            XCTAssertEqual(after, [7: (before[7] ?? 0) + 2, 9: (before[9] ?? 0) + 1])
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
            try live.close()
        }

        /// Canonically equivalent texts have different bytes, and `1` and `1.0` are different texts for the
        /// server.
        func testDifferentRolesStatementsAndArgumentsHaveTheirOwnClosures() async throws {
            try run(players)
            let live = try makeLive()
            let (short, long) = ("\u{e9}", "e\u{301}")
            let name = "SELECT id FROM player WHERE name ="
            let observed: [(sql: String, arguments: StatementArguments, role: String?)] = [
                ("\(name) 'a'", [], short), ("\(name) 'a'", [], long), ("\(name) '\(short)'", [], nil),
                ("\(name) '\(long)'", [], nil), ("\(name) ?", [1], nil), ("\(name) ?", [1.0], nil),
            ]
            // Shared closures would return the numbers of others.
            var iterators = observed.enumerated().map { number, query in
                live.values(of: query.sql, query.arguments, role: query.role) { number }.makeAsyncIterator()
            }
            for number in iterators.indices {
                let value = try await iterators[number].next()
                XCTAssertEqual(value, number)
            }
            try live.close()
        }

        func testSeveralSessionsReadOneState() async throws {
            try run(
                """
                CREATE TABLE a (id INT PRIMARY KEY, amount INT NOT NULL);
                CREATE TABLE b (id INT PRIMARY KEY, amount INT NOT NULL);
                INSERT INTO a VALUES (1, 10);
                INSERT INTO b VALUES (1, 0);
                CREATE PUBLICATION vigil FOR TABLE a, b
                """)
            let live = try makeLive()
            let server = databaseAddress
            @Sendable func amount(_ table: String, in snapshot: String) async throws -> Int {
                let lines = try await Self.psql(
                    server, "BEGIN ISOLATION LEVEL REPEATABLE READ", "SET TRANSACTION SNAPSHOT '\(snapshot)'",
                    "SELECT amount FROM \(table)", "COMMIT")
                return try XCTUnwrap(lines.first.flatMap { Int($0) })
            }
            let moves = Mutex(0)
            let totals = live.values(ofAll: ["SELECT * FROM a", .init("SELECT * FROM b WHERE id = ?", [1])]) {
                snapshot in
                let first = try await amount("a", in: snapshot)
                // A commit between the two reads, in which a part moves from one table to the other.
                if moves.withLock({
                    $0 += 1; return $0
                }) <= 3 {
                    _ = try await Self.psql(
                        server,
                        "WITH x AS (UPDATE a SET amount = amount - 1) UPDATE b SET amount = amount + 1")
                }
                return [first, try await amount("b", in: snapshot)]
            }
            var seen: [[Int]] = []
            for try await total in totals {
                seen.append(total)
                if total == [7, 3] { break }
            }
            XCTAssertEqual(seen, [[10, 0], [9, 1], [8, 2], [7, 3]])
            try live.close()
        }

        func testASnapshotIsExportedForItsLifetime() async throws {
            try run(players)
            let dbPool = try DatabasePool(server: databaseAddress)
            let snapshot = try dbPool.makeSnapshot()
            let identifier = try snapshot.exportIdentifier()
            try run("DELETE FROM player")
            // It remains usable, also after a failed statement.
            let nonsense: Void? = try? await snapshot.read { db in try db.execute(sql: "SELECT nonsense") }
            XCTAssertNil(nonsense)
            let count = try await snapshot.read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
            }
            XCTAssertEqual(count, 2)
            XCTAssertNotEqual(try snapshot.exportIdentifier(), "")
            let lines = try await Self.psql(
                databaseAddress, "BEGIN ISOLATION LEVEL REPEATABLE READ",
                "SET TRANSACTION SNAPSHOT '\(identifier)'", "SELECT count(*) FROM player", "COMMIT")
            XCTAssertEqual(lines, ["2"])
            try snapshot.close()
            XCTAssertThrowsError(try snapshot.exportIdentifier())
            try dbPool.close()
        }

        private struct Player: Codable, Equatable, Identifiable, Sendable {
            var id: Int
            var name: String
        }

        func testClientsReceivePatchesOfWhatAnotherClientFetches() async throws {
            try run(players)
            let live = try makeLive()
            let server = databaseAddress
            func stream(_ team: Int) -> EventStream {
                live.eventStream(of: "SELECT id, name FROM player WHERE team = $1 ORDER BY id", [team]) {
                    try await Self.psql(
                        server, "SELECT id, name FROM player WHERE team = \(team) ORDER BY id"
                    ).map { line in
                        let parts = line.split(separator: "|")
                        return Player(id: Int(parts[0]) ?? 0, name: String(parts[1]))
                    }
                }
            }
            let clients = [stream(1).client(), stream(1).client(), stream(2).client()]
            XCTAssertEqual(live.observations.count, 0)
            var iterators = clients.map { $0.makeAsyncIterator() }
            var replays = [StreamReplay<Player>](repeating: .init(), count: 3)
            for index in 0..<3 {
                let event = try await iterators[index].next()
                XCTAssertEqual(event?.kind, .list)
                try replays[index].show(try XCTUnwrap(event))
            }
            XCTAssertEqual(replays.map { $0.rows.map(\.name) }, [["Ada"], ["Ada"], ["Barbara"]])
            _ = try await Self.psql(server, "INSERT INTO player VALUES (3, 1, 'Edgar')")
            for index in 0..<2 {
                let event = try await iterators[index].next()
                XCTAssertEqual(event?.kind, .patch)
                try replays[index].show(try XCTUnwrap(event))
            }
            XCTAssertEqual(
                replays.map { $0.rows.map(\.name) }, [["Ada", "Edgar"], ["Ada", "Edgar"], ["Barbara"]])
            XCTAssertEqual(replays[0].id, replays[1].id)
            // A client that connects again while the stream is in use.
            _ = try await Self.psql(server, "DELETE FROM player WHERE id = 1")
            var again = stream(1).client(after: replays[0].id).makeAsyncIterator()
            while replays[0].rows.count > 1 {
                let event = try await again.next()
                XCTAssertEqual(event?.kind, .patch)
                try replays[0].show(try XCTUnwrap(event))
            }
            for client in clients { client.finish() }
            try live.close()
        }

        func testTablesAreObservedWithoutAStatement() async throws {
            try run(players)
            let live = try makeLive()
            let server = databaseAddress
            var counts = live.values(tables: ["player", "team"]) {
                try await Self.psql(
                    server, "SELECT (SELECT count(*) FROM player) + (SELECT count(*) FROM team)")
            }.makeAsyncIterator()
            for expected in 2...4 {
                let count = try await counts.next()
                XCTAssertEqual(count, ["\(expected)"])
                try run(
                    expected == 2
                        ? "INSERT INTO team VALUES (1, 'red')" : "INSERT INTO player VALUES (3, 1, 'C')"
                )
                if expected == 3 { break }
            }
            try live.close()
        }

        func testInvalidStatementsAndFailedFetchesAreErrors() async throws {
            try run(players)
            let live = try makeLive()
            for sql in ["SELECT * FRM player", "SELECT * FROM missing", "SELECT 1; SELECT 2"] {
                do {
                    for try await _ in live.values(of: sql, fetch: { 1 }) { XCTFail(sql) }
                    XCTFail(sql)
                } catch is DatabaseError {}
            }
            let server = databaseAddress
            do {
                for try await _ in live.values(
                    tables: ["player"],
                    fetch: {
                        try await Self.psql(server, "SELECT 1/0")
                    })
                { XCTFail("a value") }
                XCTFail("no error")
            } catch is DatabaseError {}
            try live.close()
        }

        func testNoMoreClosuresRunThanTheLimit() async throws {
            try run(players)
            let live = try makeLive(maximumFetchCount: 2)
            let running = Mutex((now: 0, most: 0))
            let values = Recorder<Int>()
            let tasks = (0..<20).map { number in
                let sequence = live.values(tables: ["player"], role: "\(number)") {
                    running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    for _ in 0..<100 { await Task.yield() }
                    running.withLock { $0.now -= 1 }
                    return number
                }
                return Task { for try await value in sequence { values.append(value) } }
            }
            await values.reached { Set($0).count == 20 }
            XCTAssertLessThanOrEqual(running.withLock { $0.most }, 2)
            for task in tasks { task.cancel() }
            try live.close()
        }
    }
#endif
