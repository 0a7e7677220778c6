import Vigil
import XCTest

/// Observations of rows that `LIKE` or `GLOB` selects by a prefix.
final class PatternObservationTests: XCTestCase {
    private static let schema = "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT);"

    private let ids: @Sendable (Database) throws -> [Int] = { db in
        try Int.fetchAll(db, sql: "SELECT id FROM player WHERE name LIKE ? ORDER BY id", arguments: ["ab%"])
    }

    /// A replacement that matches every text that contains an x.
    private let like = DatabaseFunction("like", argumentCount: 2, pure: true) { values in
        String.fromDatabaseValue(values[1])?.contains("x")
    }

    private func onEachFixture(
        _ kinds: [WriterKind] = WriterKind.allCases, _ configuration: Configuration = Configuration(),
        _ body: (ObservationFixture) throws -> Void
    ) throws {
        try onEachFixture(kinds, [.queue], configuration, schema: Self.schema, body)
    }

    /// Waits until the observation is registered. Until then, any commit may match it.
    private func settle<Value>(_ observed: Observed<Value>, _ fixture: ObservationFixture, count: Int = 1)
        throws
    {
        observed.values.wait(count: count)
        try fixture.writer.barrierWriteWithoutTransaction { _ in }
        fixture.writer.writeWithoutTransaction { _ in }
    }

    /// Returns whether the library can report that the functions of the operators are built in.
    private func hasFunctionList(_ fixture: ObservationFixture) throws -> Bool {
        let version =
            try fixture.writer.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? ""
        return !version.split(separator: ".").compactMap { Int($0) }.lexicographicallyPrecedes([3, 30])
    }

    /// Commits each statement, and compares whether the observation fetches.
    private func assertMatches<Value>(
        _ observed: Observed<Value>, _ fixture: ObservationFixture,
        _ statements: [(sql: String, matches: Bool)],
        file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        for (sql, matches) in statements {
            let count = observed.values.all.count
            let before = fixture.writer.observations.map(\.changeCount)
            try fixture.writer.commit(sql)
            // While a fetch is running, any commit may match the observation.
            try settle(observed, fixture, count: matches ? count + 1 : count)
            let after = fixture.writer.observations.map(\.changeCount)
            XCTAssertEqual(after, before.map { matches ? $0 + 1 : $0 }, sql, file: file, line: line)
        }
    }

    func testOnlyRowsThatMayMatchAreFetched() throws {
        try onEachFixture { fixture in
            guard try hasFunctionList(fixture) else { return }
            let observed = fixture.observe(.tracking(ids).coalescing(.never))
            try settle(observed, fixture)
            try assertMatches(
                observed, fixture,
                [
                    ("INSERT INTO player VALUES (1, 'xyz')", false),
                    ("UPDATE player SET name = 'yz' WHERE id = 1", false),
                    ("INSERT INTO player VALUES (2, 'ABC')", true),
                    ("INSERT INTO player VALUES (3, x'78')", true),
                    ("INSERT INTO player VALUES (4, NULL), (5, 'a')", false),
                    ("UPDATE player SET name = 'abz' WHERE id = 1", true),
                    ("UPDATE player SET name = 'x' WHERE id = 1", true),
                    ("DELETE FROM player WHERE id = 2", true),
                    ("DELETE FROM player WHERE id IN (1, 4)", false),
                ])
            observed.expect([[], [2], [2], [1, 2], [2], []])
        }
    }

    func testGlobIsCaseSensitive() throws {
        try onEachFixture { fixture in
            guard try hasFunctionList(fixture) else { return }
            let observed = fixture.observe(
                .tracking { db in
                    try Int.fetchAll(db, sql: "SELECT id FROM player WHERE name GLOB 'ab[cd]*' ORDER BY id")
                })
            try settle(observed, fixture)
            try assertMatches(
                observed, fixture,
                [
                    ("INSERT INTO player VALUES (1, 'ABC')", false),
                    ("INSERT INTO player VALUES (2, 'abx')", true),
                    ("INSERT INTO player VALUES (3, 'abd')", true),
                ])
            observed.values.wait(for: [3])
        }
    }

    func testAnApplicationFunctionMayMatchAnyRow() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { [like] db in db.add(function: like) }
        try onEachFixture(WriterKind.allCases, configuration) { fixture in
            let observed = fixture.observe(.tracking(ids))
            try settle(observed, fixture)
            try assertMatches(observed, fixture, [("INSERT INTO player VALUES (1, 'xyz')", true)])
            observed.values.wait(for: [1])
        }
    }

    private var observations: [ValueObservation<ValueReducers.Fetch<[Int]>>] {
        [
            .tracking(ids), .trackingConstantRegion(ids), .tracking(ids).coalescing(.never),
            .tracking(
                region: SQLRequest<Row>(sql: "SELECT * FROM player WHERE name LIKE 'ab%'"), fetch: ids),
        ]
    }

    func testAFunctionReplacedLaterIsNoticed() throws {
        for observation in observations {
            try onEachFixture { fixture in
                let observed = fixture.observe(observation)
                try settle(observed, fixture)
                fixture.writer.writeWithoutTransaction { db in db.add(function: like) }
                let known = observed.values.all.count
                try fixture.writer.commit("INSERT INTO player VALUES (1, 'xyz')")
                observed.values.wait(count: known + 1)
                // The readers of a pool have their own functions.
                if !fixture.isPool { observed.values.wait(for: [1]) }
                try fixture.writer.commit("INSERT INTO player VALUES (2, 'abx')")
                observed.values.wait { [[1, 2], [2]].contains($0.last) }
            }
        }
    }

    func testAFunctionReplacedInATransactionIsNoticedWhenItEnds() throws {
        try onEachFixture([.memory, .file]) { fixture in
            let observed = fixture.observe(.tracking(ids))
            observed.expect([[]])
            try fixture.writer.write { db in
                try db.execute(sql: "INSERT INTO player VALUES (1, 'xyz')")
                db.add(function: like)
            }
            observed.expect([[], [1]])
        }
    }

    func testAFunctionReplacedInATransactionIsNoticedAfterARollback() throws {
        for (begin, end) in [("BEGIN", "ROLLBACK"), ("BEGIN; SAVEPOINT a", "ROLLBACK TO a; COMMIT")] {
            try onEachFixture([.memory, .file]) { fixture in
                try fixture.writer.commit("INSERT INTO player VALUES (1, 'xyz')")
                let observed = fixture.observe(.tracking(ids))
                observed.expect([[]])
                try fixture.writer.writeWithoutTransaction { db in
                    try db.execute(sql: begin)
                    db.add(function: like)
                    try db.execute(sql: end)
                }
                observed.expect([[], [1]])
            }
        }
    }

    func testAFunctionReplacedInAFailedStatementIsNoticed() throws {
        try onEachFixture([.memory, .file]) { fixture in
            try fixture.writer.commit("INSERT INTO player VALUES (1, 'xyz')")
            let observed = fixture.observe(.tracking(ids))
            observed.expect([[]])
            try fixture.writer.writeWithoutTransaction { db in
                nonisolated(unsafe) let unsafeDB = db
                let redefine = DatabaseFunction("redefine", argumentCount: 0) { _ in
                    unsafeDB.add(function: DatabaseFunction("like") { _ in true })
                    return "abc"
                }
                db.add(function: redefine)
                XCTAssertThrowsError(try db.execute(sql: "INSERT INTO player VALUES (1, redefine())"))
            }
            observed.expect([[], [1]])
        }
    }

    func testAFunctionReplacedOnAReaderAffectsAllObservations() throws {
        for observation in observations {
            try onEachFixture([.pool]) { fixture in
                let observed = fixture.observe(observation)
                try settle(observed, fixture)
                try fixture.writer.read { db in db.add(function: like) }
                // The resulting work of the writer precedes the next commit.
                fixture.writer.writeWithoutTransaction { _ in }
                try settle(observed, fixture, count: 2)
                try assertMatches(observed, fixture, [("INSERT INTO player VALUES (1, 'xyz')", true)])
                try assertMatches(observed, fixture, [("INSERT INTO player VALUES (2, 'xyz')", true)])
                try fixture.writer.commit("INSERT INTO player VALUES (3, 'abx')")
                observed.values.wait { $0.last?.contains(3) == true }
            }
        }
    }

    func testAFunctionReplacedDuringAReadIsNoticed() throws {
        try onEachFixture([.memory, .file]) { fixture in
            try fixture.writer.commit("INSERT INTO player VALUES (1, 'xyz')")
            let observed = fixture.observe(.tracking(ids))
            observed.expect([[]])
            try fixture.writer.read { db in db.add(function: like) }
            observed.expect([[], [1]])
            try fixture.writer.commit("INSERT INTO player VALUES (2, 'x')")
            observed.expect([[], [1], [1, 2]])
        }
    }

    func testARegionObservationIsNotifiedOfAnyRow() throws {
        try onEachFixture { fixture in
            let commits = Recorder<Int>()
            let request = SQLRequest<Row>(sql: "SELECT * FROM player WHERE name LIKE 'ab%'")
            let cancellable = DatabaseRegionObservation(tracking: request).start(
                in: fixture.writer, onError: { XCTFail("\($0)") },
                onChange: { db in
                    commits.append((try? Int.fetchOne(db, sql: "SELECT max(id) FROM player")) ?? 0)
                })
            try fixture.writer.commit("INSERT INTO player VALUES (1, 'xyz')")
            fixture.writer.writeWithoutTransaction { db in db.add(function: like) }
            try fixture.writer.commit("INSERT INTO player VALUES (2, 'xyz')")
            XCTAssertEqual(commits.all.last, 2)
            cancellable.cancel()
        }
    }
}
