import Vigil
import XCTest

@testable import VigilEngine

/// Lists whose rows may get another meaning while no row changes, and lists that many commits do not match.
final class ListMeaningTests: XCTestCase {
    /// Adds a function to the connections of a queue, or of a pool that has opened its readers.
    private func onEachConnection(of writer: any DatabaseWriter, _ body: (Database) throws -> Void) throws {
        try writer.writeWithoutTransaction(body)
        guard let pool = writer as? DatabasePool else { return }
        for reader in pool.readers.readers { try reader.sync(body) }
    }

    private func assertMeaningIsCurrent(
        _ sql: String, setUp: @escaping @Sendable (Database) throws -> Void = { _ in },
        _ change: @escaping @Sendable (Database) throws -> Void, from old: [Int64], to new: [Int64],
        file: StaticString = #filePath, line: UInt = #line
    ) throws {
        var configuration = Configuration()
        let isChanged = Recorder<Bool>()
        configuration.prepareDatabase { db in
            try setUp(db)
            // A pool can open another reader at any time, such as for a slow fetch.
            if isChanged.all.last == true { try change(db) }
        }
        try onEachListWriter(configuration) { writer in
            let fixture = try ListFixture(writer, .trackingList(SQLRequest<ListedPlayer>(sql: sql)))
            XCTAssertEqual(fixture.list().map(\.id), old, file: file, line: line)
            XCTAssertNil(try fixture.status().unfollowedReason, file: file, line: line)
            isChanged.append(true)
            // The next database opens with the old meaning.
            defer { isChanged.append(false) }
            try onEachConnection(of: writer, change)
            // The first change may not be one of the list.
            for name in ["ANN", "ann"] {
                try fixture.write("UPDATE player SET name = '\(name)' WHERE id = 1")
            }
            XCTAssertEqual(fixture.list().map(\.id), new, file: file, line: line)
            let before = try fixture.status().rowFetchCount
            try fixture.write("UPDATE player SET score = 77 WHERE id = \(new[0])")
            XCTAssertEqual(fixture.list().first?.score, 77, file: file, line: line)
            XCTAssertEqual(try fixture.status().rowFetchCount, before + 1, file: file, line: line)
        }
    }

    func testPatternsBecomeCaseSensitive() throws {
        try assertMeaningIsCurrent(
            "SELECT * FROM player WHERE name LIKE '%N%' OR name LIKE '%d%' ORDER BY id",
            { db in try db.execute(sql: "PRAGMA case_sensitive_like = ON") }, from: [1, 3, 4], to: [3])
    }

    func testAFunctionIsReplaced() throws {
        let rank = { @Sendable (limit: Int) in
            DatabaseFunction("ranks", argumentCount: 1, pure: true) { values in
                (Int.fromDatabaseValue(values[0]) ?? 0) >= limit
            }
        }
        try assertMeaningIsCurrent(
            "SELECT * FROM player WHERE ranks(score) ORDER BY id",
            setUp: { db in db.add(function: rank(30)) },
            { db in db.add(function: rank(20)) }, from: [2, 4], to: [2, 3, 4])
    }

    func testACollationIsReplaced() throws {
        let first = DatabaseCollation("same") { a, b in
            a.lowercased() == b.lowercased() ? .orderedSame : a < b ? .orderedAscending : .orderedDescending
        }
        let second = DatabaseCollation("same") { a, b in
            a.prefix(1) == b.prefix(1) ? .orderedSame : a < b ? .orderedAscending : .orderedDescending
        }
        try assertMeaningIsCurrent(
            "SELECT * FROM player WHERE name = 'DEE' COLLATE same ORDER BY id",
            setUp: { db in db.add(collation: first) },
            { db in
                db.add(collation: second)
                try db.execute(sql: "SELECT 1")
            }, from: [4], to: [4])
    }

    func testATableOfAnAttachedDatabaseIsFollowedUntilAnotherOneHidesIt() throws {
        // A library that encrypts would require a key for each attached file, which makes no difference here.
        for (name, backend) in testedBackends where name == "SQLite" {
            let directory = try TemporaryDirectory()
            let other = directory.file("other")
            var configuration = Configuration()
            configuration.backend = backend
            configuration.prepareDatabase { db in
                try db.execute(sql: "ATTACH ? AS aux", arguments: [other])
            }
            for writer in try makeWriters(configuration, in: directory) {
                try writer.write { db in
                    try db.execute(
                        sql: """
                            DROP TABLE IF EXISTS aux.other;
                            CREATE TABLE aux.other(id INTEGER PRIMARY KEY, name TEXT, score);
                            INSERT INTO aux.other VALUES (1, 'a', 10), (2, 'b', 10);
                            """)
                }
                let qualified = try ListFixture(
                    writer, label: "aux",
                    .trackingList(SQLRequest<ListedPlayer>(sql: "SELECT * FROM aux.other ORDER BY id")))
                let found = try ListFixture(
                    writer, .trackingList(SQLRequest<ListedPlayer>(sql: "SELECT * FROM other ORDER BY id")))
                // The other writers have changed the file before, which each one notices once.
                try found.write("UPDATE aux.other SET score = 9 WHERE id = 1")
                let before = try [qualified, found].map { try $0.status().rowFetchCount }
                try found.write("UPDATE aux.other SET score = 11 WHERE id = 1")
                for list in [qualified, found] { XCTAssertEqual(list.list().map(\.score), [11, 10]) }
                let after = try [qualified, found].map { try $0.status().rowFetchCount }
                XCTAssertEqual(after, before.map { $0 + 1 })
                try found.write("CREATE TABLE main.other(id INTEGER PRIMARY KEY, name TEXT, score)")
                try found.write("INSERT INTO main.other VALUES (1, 'c', 30)")
                XCTAssertEqual(qualified.list().map(\.score), [11, 10])
                XCTAssertEqual(found.list().map(\.score), [30])
                try found.write("DROP TABLE main.other")
                try found.write("UPDATE aux.other SET score = 12 WHERE id = 2")
                for list in [qualified, found] {
                    XCTAssertEqual(list.list().map(\.score), [11, 12])
                    XCTAssertEqual(list.errors.all, [])
                }
            }
        }
    }

    func testAPatternInTheConditionOfALeftJoinIsFetchedAsAWhole() throws {
        for operation in ["team.name LIKE 'r%'", "team.name GLOB 'R*'", "\"like\"('r%', team.name)"] {
            try onEachListWriter { writer in
                try writer.write { db in
                    try db.execute(sql: "CREATE INDEX byName ON team(name COLLATE NOCASE)")
                }
                let request = SQLRequest<Row>(
                    sql: """
                        SELECT player.id, team.name AS team FROM player
                        LEFT JOIN team ON team.id = player.team AND \(operation) ORDER BY player.id
                        """)
                let fixture = try ListFixture(writer, .trackingList(request))
                XCTAssertEqual(
                    try fixture.status().unfollowedReason, "the condition of a LEFT JOIN has LIKE or GLOB")
                try fixture.write("UPDATE player SET team = 2 WHERE id = 1")
                let expected = try writer.read { db in try Row.fetchAll(db, request) }
                XCTAssertEqual(fixture.list(), expected, operation)
            }
        }
    }

    // MARK: - Base

    func testManyCommitsThatDoNotMatchAListDoNotMakeItFetchAllRows() throws {
        try onEachListWriter { writer in
            let request = SQLRequest<ListedPlayer>(sql: "SELECT * FROM player WHERE team = 2 ORDER BY id")
            let fixture = try ListFixture(writer, .trackingList(request))
            for round in 1...2 {
                for score in 1...300 {
                    try writer.write { db in
                        try db.execute(sql: "UPDATE player SET score = ? WHERE id = 1", arguments: [score])
                    }
                }
                try fixture.write("UPDATE player SET score = \(round) WHERE id = 4")
                XCTAssertEqual(fixture.list().map(\.score), [20, round])
                XCTAssertEqual(try fixture.status().fullFetchCounts, ["first fetch": 1])
                XCTAssertEqual(try fixture.status().fetchedRowCount, round)
            }
        }
    }

    func testADisarmedObserverFetchesTheChangesSinceItsFirstMatch() throws {
        try onEachListWriter { writer in
            let pause = ObservationPause()
            let request = SQLRequest<ListedPlayer>(sql: "SELECT * FROM player WHERE team = 2 ORDER BY id")
            let fixture = try ListFixture(writer, .trackingList(request).pausable(by: pause))
            // Without it, the rows of the table would not be reported.
            let all = try ListFixture(writer, label: "all", .trackingList(ListedPlayer.ranking))
            for score in 1...300 {
                try writer.write { db in
                    try db.execute(sql: "UPDATE player SET score = ? WHERE id = 1", arguments: [score])
                }
            }
            pause.pause()
            try fixture.write("UPDATE player SET score = 7 WHERE id = 4")
            // Not matched any more.
            try fixture.write("UPDATE player SET score = 8 WHERE id = 3")
            pause.resume()
            try fixture.drain()
            XCTAssertEqual(fixture.list().map(\.score), [8, 7])
            XCTAssertEqual(try fixture.status().fullFetchCounts, ["first fetch": 1])
            XCTAssertEqual(all.list().map(\.score), [300, 30, 8, 7])
        }
    }

    private let teamOne = SQLRequest<ListedPlayer>(sql: "SELECT * FROM player WHERE team = 1 ORDER BY id")

    func testMigrationsOfTheSameRowsAreAllContained() throws {
        try onEachListWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(teamOne))
            var migrator = DatabaseMigrator()
            migrator.registerMigration("first") { db in
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
            }
            migrator.registerMigration("second") { db in
                try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 2")
            }
            migrator.registerMigration("third") { db in
                try db.execute(sql: "UPDATE team SET name = 'Golds' WHERE id = 1")
            }
            try migrator.migrate(writer)
            try fixture.drain()
            XCTAssertEqual(fixture.list().map(\.score), [1, 2])
        }
    }

    /// Writes once when a transaction is committed.
    private final class WritingObserver: TransactionObserver {
        let sql: String
        var hasWritten = false

        init(_ sql: String) { self.sql = sql }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidRollback(_ db: Database) {}
        func databaseDidCommit(_ db: Database) {
            guard !hasWritten else { return }
            hasWritten = true
            XCTAssertNoThrow(
                try db.inTransaction {
                    try db.execute(sql: sql)
                    return .commit
                })
        }
    }

    func testACommitByATransactionObserverHidesNoChange() throws {
        for (sql, expected) in [
            ("UPDATE team SET name = 'Golds' WHERE id = 1", [1, 30]),
            ("UPDATE player SET score = 2 WHERE id = 2", [1, 2]),
        ] {
            try onEachListWriter { writer in
                let fixture = try ListFixture(writer, .trackingList(teamOne))
                let observer = WritingObserver(sql)
                writer.add(transactionObserver: observer)
                try fixture.write("UPDATE player SET score = 1 WHERE id = 1")
                XCTAssertTrue(observer.hasWritten)
                XCTAssertEqual(fixture.list().map(\.score), expected)
                withExtendedLifetime(observer) {}
            }
        }
    }

    func testACommitByARegionObservationHidesNoChange() throws {
        try onEachListWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(teamOne))
            let observation = DatabaseRegionObservation(tracking: Table("player"))
            let onChange: @Sendable (Database) -> Void = { db in
                do { try db.execute(sql: "UPDATE team SET name = name || '!'") } catch { XCTFail("\(error)") }
            }
            let cancellable = observation.start(
                in: writer, onError: { XCTFail("\($0)") }, onChange: onChange)
            try fixture.write("UPDATE player SET score = 1 WHERE id = 1")
            XCTAssertEqual(fixture.list().map(\.score), [1, 30])
            cancellable.cancel()
        }
    }

    func testACommitOfAnotherConnectionBeforeOneThatDoesNotMatchIsContained() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let path = directory.file("db")
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.write { db in try db.execute(sql: ListedPlayer.table) }
            let fixture = try ListFixture(pool, .trackingList(teamOne))
            let other = try DatabaseQueue(path: path, configuration: configuration)
            try other.write { db in try db.execute(sql: "UPDATE player SET score = 7 WHERE id = 2") }
            try fixture.write("UPDATE team SET name = 'Golds' WHERE id = 2")
            try fixture.write("UPDATE player SET score = 1 WHERE id = 1")
            XCTAssertEqual(fixture.list().map(\.score), [1, 7])
        }
    }

    func testTheBaseIsTheCommitBeforeTheFirstMatch() {
        func commit(_ number: UInt64) -> CommitNumber { CommitNumber(rawValue: number) }
        var base = ListBase()
        base.didRegister()
        XCTAssertEqual(base.base(after: commit(3)), commit(3))
        base.didMatch(commit(300))
        base.didMatch(commit(400))
        XCTAssertEqual(base.base(after: commit(3)), commit(299))
        base.didFetch()
        XCTAssertEqual(base.base(after: commit(400)), commit(400))
    }

    func testTheBaseIsTheLastFetchIfACommitMatchedBeforeTheRegistration() {
        func commit(_ number: UInt64) -> CommitNumber { CommitNumber(rawValue: number) }
        var base = ListBase()
        base.didFetch()
        base.didMatch(commit(5))
        base.didRegister()
        base.didMatch(commit(500))
        XCTAssertEqual(base.base(after: commit(4)), commit(4))
    }
}
