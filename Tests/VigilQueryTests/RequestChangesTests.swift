import Vigil
import XCTest

/// Observations of the results of requests, without duplicates.
final class RequestChangesTests: XCTestCase {
    /// A record that cannot be compared, and that counts how often it is decoded.
    private struct Player: FetchableRecord, TableRecord, Sendable {
        static let decoded = Recorder<Int64>()

        let id: Int64
        let name: String

        init(row: Row) {
            id = row["id"]
            name = row["name"]
            Self.decoded.append(id)
        }
    }

    private static let schema = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score);
        INSERT INTO player VALUES (1, 'Arthur', 1), (2, 'Barbara', NULL), (3, 'Craig', 3);
        """

    private func onEachPlayers(_ body: (any DatabaseWriter) throws -> Void) throws {
        var configuration = Configuration()
        configuration.ignoresNoOpUpdates = false
        try onEachWriter(configuration) { writer in
            try writer.write { db in try db.execute(sql: Self.schema) }
            try body(writer)
        }
    }

    private func commit(_ sql: String, _ writer: any DatabaseWriter) throws {
        try writer.write { db in try db.execute(sql: sql) }
    }

    private func decoded(since count: Int) -> [Int64] { Array(Player.decoded.all[count...]) }

    func testRecordsThatCannotBeComparedAreComparedByTheirRows() throws {
        try onEachPlayers { writer in
            let request = Player.all().orderByPrimaryKey()
            let (values, cancellable) = record(
                request.observationForAll().coalescing(.never).map { $0.map(\.name) }, in: writer)
            try commit("UPDATE player SET name = name", writer)
            try commit("UPDATE player SET name = 'Arthur II' WHERE id = 1", writer)
            try commit(
                "DELETE FROM player WHERE id = 1; INSERT INTO player VALUES (1, 'Arthur II', 1)", writer)
            try commit("DELETE FROM player", writer)
            XCTAssertEqual(
                values.wait(count: 3),
                [["Arthur", "Barbara", "Craig"], ["Arthur II", "Barbara", "Craig"], []])
            cancellable.cancel()
        }
    }

    func testOnlyRowsThatDifferAreDecoded() throws {
        let steps: [(sql: String, names: [String], decoded: [Int64])] = [
            ("", ["Arthur", "Barbara", "Craig"], [1, 2, 3]),
            ("UPDATE player SET name = 'B' WHERE id = 2", ["Arthur", "B", "Craig"], [2]),
            ("INSERT INTO player VALUES (4, 'David', 4)", ["Arthur", "B", "Craig", "David"], [4]),
            ("DELETE FROM player WHERE id = 2", ["Arthur", "Craig", "David"], []),
            ("UPDATE player SET name = name || '!' WHERE id <> 3", ["Arthur!", "Craig", "David!"], [1, 4]),
            ("INSERT INTO player VALUES (0, 'Zero', 0)", ["Zero", "Arthur!", "Craig", "David!"], [0]),
            ("DELETE FROM player", [], []),
        ]
        try onEachPlayers { writer in
            var before = Player.decoded.all.count
            let players = Player.all().orderByPrimaryKey().observationForAll().coalescing(.never)
            let (values, cancellable) = record(players.map { $0.map(\.name) }, in: writer)
            for (index, step) in steps.enumerated() {
                try commit(step.sql, writer)
                XCTAssertEqual(values.wait(count: index + 1).last, step.names, step.sql)
                XCTAssertEqual(decoded(since: before), step.decoded, step.sql)
                before = Player.decoded.all.count
            }
            cancellable.cancel()
        }
    }

    func testValuesOfDifferentKindsDiffer() throws {
        try onEachPlayers { writer in
            let request: SQLRequest<DatabaseValue> = "SELECT score FROM player WHERE id = 1"
            let (values, cancellable) = record(
                request.observationForFirst().coalescing(.never).map { $0.map { "\($0.storage)" } },
                in: writer)
            try commit("UPDATE player SET score = 1.0 WHERE id = 1", writer)
            try commit("UPDATE player SET score = '1' WHERE id = 1", writer)
            try commit("UPDATE player SET score = '1' WHERE id = 1", writer)
            try commit("UPDATE player SET score = x'31' WHERE id = 1", writer)
            XCTAssertEqual(Set(values.wait(count: 4)).count, 4, "\(values.all)")
            cancellable.cancel()
        }
    }

    func testOnlyTheFirstColumnOfValuesIsCompared() throws {
        struct Name: DatabaseValueConvertible, Equatable {
            var text: String
            var databaseValue: DatabaseValue { text.databaseValue }
            static func fromDatabaseValue(_ value: DatabaseValue) -> Name? {
                String.fromDatabaseValue(value).map { Name(text: $0) }
            }
        }
        try onEachPlayers { writer in
            let strings: SQLRequest<String> = "SELECT name, score FROM player WHERE id < 3 ORDER BY id"
            let names: SQLRequest<Name> = "SELECT name, score FROM player WHERE id < 3 ORDER BY id"
            let one = record(strings.observationForAll().coalescing(.never), in: writer)
            let two = record(strings.observationForFirst().coalescing(.never), in: writer)
            let three = record(names.observationForAll().coalescing(.never), in: writer)
            let four = record(names.observationForFirst().coalescing(.never), in: writer)
            try commit("UPDATE player SET score = 10", writer)
            try commit("UPDATE player SET name = 'Arthur II', score = 11 WHERE id = 1", writer)
            XCTAssertEqual(one.values.wait(count: 2), [["Arthur", "Barbara"], ["Arthur II", "Barbara"]])
            XCTAssertEqual(two.values.wait(count: 2), ["Arthur", "Arthur II"])
            XCTAssertEqual(three.values.wait(count: 2).map { $0[0].text }, ["Arthur", "Arthur II"])
            XCTAssertEqual(four.values.wait(count: 2).map { $0?.text }, ["Arthur", "Arthur II"])
            for cancellable in [one.cancellable, two.cancellable, three.cancellable, four.cancellable] {
                cancellable.cancel()
            }
        }
    }

    func testNullAndNoRowAreDuplicatesUnlessTheirResultsDiffer() throws {
        try onEachPlayers { writer in
            let scores: SQLRequest<Int> = "SELECT score FROM player WHERE id = 2"
            let optionals: SQLRequest<Int?> = "SELECT score FROM player WHERE id = 2"
            let one = record(scores.observationForFirst().coalescing(.never), in: writer)
            let two = record(optionals.observationForFirst().coalescing(.never), in: writer)
            try commit("DELETE FROM player WHERE id = 2", writer)
            try commit("INSERT INTO player VALUES (2, 'Barbara', NULL)", writer)
            try commit("UPDATE player SET score = 5", writer)
            XCTAssertEqual(one.values.wait(count: 2), [nil, 5])
            XCTAssertEqual(two.values.wait(count: 4), [.some(nil), .none, .some(nil), .some(5)])
            one.cancellable.cancel()
            two.cancellable.cancel()
        }
    }

    func testTheFirstResultIsNilWithoutARowAndForNull() throws {
        try onEachPlayers { writer in
            let request: SQLRequest<Int> = "SELECT score FROM player ORDER BY id"
            let (values, cancellable) = record(
                request.observationForFirst().coalescing(.never), in: writer)
            try commit("DELETE FROM player WHERE id = 1", writer)
            try commit("DELETE FROM player WHERE id = 2", writer)
            try commit("DELETE FROM player", writer)
            XCTAssertEqual(values.wait(count: 4), [1, nil, 3, nil])
            cancellable.cancel()
        }
    }

    func testRowsOptionalsAndCountsAreObserved() throws {
        try onEachPlayers { writer in
            let row: SQLRequest<Row> = "SELECT name FROM player WHERE id = 1"
            let optionals: SQLRequest<Int?> = "SELECT score FROM player ORDER BY id"
            let one = record(row.observationForFirst().coalescing(.never), in: writer)
            let two = record(row.observationForAll().coalescing(.never), in: writer)
            let three = record(optionals.observationForAll().coalescing(.never), in: writer)
            let four = record(Player.all().observationForCount().coalescing(.never), in: writer)
            let five = record(
                AnyFetchRequest(optionals).observationForAll().coalescing(.never), in: writer)
            try commit("UPDATE player SET score = score", writer)
            try commit("DELETE FROM player WHERE id = 1", writer)
            XCTAssertEqual(one.values.wait(count: 2), [["name": "Arthur"], nil])
            XCTAssertEqual(two.values.wait(count: 2), [[["name": "Arthur"]], []])
            XCTAssertEqual(three.values.wait(count: 2), [[1, nil, 3], [nil, 3]])
            XCTAssertEqual(four.values.wait(count: 2), [3, 2])
            XCTAssertEqual(five.values.wait(count: 2), [[1, nil, 3], [nil, 3]])
            for cancellable in [
                one.cancellable, two.cancellable, three.cancellable, four.cancellable, five.cancellable,
            ] { cancellable.cancel() }
        }
    }

    func testARowThatCannotBeDecodedEndsTheObservationWithAnError() throws {
        try onEachPlayers { writer in
            let request: SQLRequest<Int> = "SELECT name FROM player"
            let errors = Recorder<any Error>()
            let cancellable = request.observationForAll().start(
                in: writer, scheduling: .inline, onError: { errors.append($0) },
                onChange: { XCTFail("\($0)") })
            XCTAssertTrue(errors.wait(count: 1)[0] is RowDecodingError)
            cancellable.cancel()
        }
    }

    // MARK: - Sequences

    func testTheResultsOfRequestsAreSequences() async throws {
        let dbQueue = try DatabaseQueue()
        try await dbQueue.write { db in try db.execute(sql: Self.schema) }
        let names: SQLRequest<String> = "SELECT name FROM player ORDER BY id"
        for try await all in names.observeAll(in: dbQueue) {
            XCTAssertEqual(all, ["Arthur", "Barbara", "Craig"])
            break
        }
        for try await first in names.observeFirst(in: dbQueue) {
            XCTAssertEqual(first, "Arthur")
            break
        }
        for try await count in names.observeCount(in: dbQueue) {
            XCTAssertEqual(count, 3)
            break
        }
        for try await players in Player.filter(key: 2).observeAll(in: dbQueue, scheduling: .mainActor) {
            XCTAssertEqual(players.map(\.name), ["Barbara"])
            break
        }
        let second = Player.filter(key: 2).observeFirst(in: dbQueue, bufferingPolicy: .bufferingNewest(1))
        for try await player in second {
            XCTAssertEqual(player?.name, "Barbara")
            break
        }
    }

    func testASequenceThatDoesNotStartImmediatelyBeginsWithAChange() async throws {
        let dbQueue = try DatabaseQueue()
        try await dbQueue.write { db in try db.execute(sql: Self.schema) }
        let names: SQLRequest<String> = "SELECT name FROM player ORDER BY id"
        var all = names.observeAll(in: dbQueue, startImmediately: false).makeAsyncIterator()
        var first = names.observeFirst(in: dbQueue, startImmediately: false).makeAsyncIterator()
        var count = names.observeCount(in: dbQueue, startImmediately: false).makeAsyncIterator()
        try await dbQueue.write { db in try db.execute(sql: "UPDATE player SET name = 'B' WHERE id = 2") }
        try await dbQueue.write { db in try db.execute(sql: "DELETE FROM player WHERE id = 1") }
        let values = (try await all.next(), try await first.next(), try await count.next())
        XCTAssertEqual(values.0, ["Arthur", "B", "Craig"])
        XCTAssertEqual(values.1, "B")
        XCTAssertEqual(values.2, 2)
    }

    // MARK: - Changes

    func testChangesBeginInsideAWriteAccessAndContinueWithEachCommit() throws {
        try onEachPlayers { writer in
            for startImmediately in [true, false] {
                let counts = Recorder<Int>()
                let cancellable = Player.filter(keys: [1, 4]).changes(
                    in: writer, startImmediately: startImmediately, onError: { XCTFail("\($0)") },
                    onChange: { db in
                        do {
                            try db.execute(sql: "UPDATE player SET score = 5 WHERE id = 3")
                            counts.append(try Player.fetchCount(db))
                        } catch {
                            XCTFail("\(error)")
                        }
                    })
                let initial = startImmediately ? [3] : []
                XCTAssertEqual(counts.all, initial)
                try commit("UPDATE player SET name = 'B' WHERE id = 2", writer)
                XCTAssertEqual(counts.all, initial)
                try commit("INSERT INTO player VALUES (4, 'David', 4)", writer)
                XCTAssertEqual(counts.all, initial + [4])
                try commit("DELETE FROM player WHERE id = 4", writer)
                XCTAssertEqual(counts.all, initial + [4, 3])
                cancellable.cancel()
            }
        }
    }

    func testChangesAreASequenceOfCommits() async throws {
        let dbQueue = try DatabaseQueue()
        try await dbQueue.write { db in try db.execute(sql: Self.schema) }
        var changes = Player.filter(key: 1).changes(in: dbQueue, bufferingPolicy: .unbounded)
            .makeAsyncIterator()
        var later = Player.filter(key: 1).changes(in: dbQueue, startImmediately: false).makeAsyncIterator()
        try await dbQueue.write { db in try db.execute(sql: "DELETE FROM player WHERE id = 1") }
        let start = try await changes.next()
        let change = try await changes.next()
        let only = try await later.next()
        XCTAssertEqual(start?.region.description, "player(id,name,score)[1]")
        XCTAssertEqual(change?.region.description, "player(*)[1]")
        XCTAssertEqual(only?.number, change?.number)
    }

    func testSeveralRequestsAreObservedAtOnce() throws {
        try onEachPlayers { writer in
            try commit("CREATE TABLE team(id INTEGER PRIMARY KEY)", writer)
            let requests: [any DatabaseRegionConvertible] = [
                Player.all(), SQLRequest<Int>("SELECT id FROM team"),
            ]
            let commits = Recorder<Bool>()
            let cancellable = DatabaseRegionObservation.tracking(requests).start(
                in: writer, startImmediately: false, onError: { XCTFail("\($0)") },
                onChange: { _ in commits.append(true) })
            let counts = record(
                ValueObservation.tracking(regions: requests) { db in try Player.fetchCount(db) }
                    .coalescing(.never).skippingInitialValue(), in: writer)
            try commit("INSERT INTO team VALUES (1); DELETE FROM player WHERE id = 1", writer)
            try commit("INSERT INTO team VALUES (2)", writer)
            XCTAssertEqual(commits.all.count, 2)
            XCTAssertEqual(counts.values.wait(count: 2), [2, 2])
            cancellable.cancel()
            counts.cancellable.cancel()
        }
    }
}
