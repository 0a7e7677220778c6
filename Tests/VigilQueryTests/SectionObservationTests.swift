// Sections of observed lists, and the sample of *Observing lists*, which a tidy test compares with this file.
import Foundation
import Synchronization
import Vigil
import XCTest

private struct Player: Codable, Equatable, Identifiable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var team: String
    var score: Int
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

final class SectionObservationTests: XCTestCase {
    private typealias Sections = ObservedSections<String, Player>

    private static let observation = ValueObservation.trackingList(
        Player.order(Column("team"), Column("score").desc)
    )
    .sections { $0.team }

    private static func makeDatabase(_ configuration: Configuration) throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, team TEXT, score INTEGER)")
        }
        return dbQueue
    }

    func testSectionsEqualThoseOfAllRowsAfterEachCommit() throws {
        try withEachBackend { configuration in
            var random = SeededRandom.seeded()
            let dbQueue = try Self.makeDatabase(configuration)
            let values = Recorder<Sections>()
            let cancellable = Self.observation.start(
                in: dbQueue, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            for round in 0..<75 {
                try dbQueue.write { db in
                    for _ in 0..<(round % 10 == 0 ? 40 : Int.random(in: 1...3, using: &random)) {
                        try change(db, &random)
                    }
                }
                let rows = try dbQueue.read(
                    Player.order(Column("team"), Column("score").desc, Column("id").desc).fetchAll)
                let received = values.wait { Array($0.last?.rows ?? ObservedList()) == rows }
                let latest = try XCTUnwrap(received.last)
                XCTAssertEqual(latest, latest.rows.sections { $0.team })
                XCTAssertEqual(
                    latest.map(\.id), rows.map(\.team).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
                )
                XCTAssertEqual(latest.map(\.count).reduce(0, +), rows.count)
                let shown = received[Int.random(in: received.indices, using: &random)]
                if let complaint = complaint(about: latest.changes(since: shown), from: shown, to: latest) {
                    return XCTFail("\(complaint), seed \(random.seed), round \(round)")
                }
            }
            cancellable.cancel()
        }
    }

    private func change(_ db: Database, _ random: inout SeededRandom) throws {
        let team = ["a", "b", "c", "d", "e"][Int.random(in: 0..<5, using: &random)]
        let score = Int.random(in: 0..<20, using: &random)
        let id = Int.random(in: 1...60, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0...2:
            try db.execute(sql: "INSERT INTO player (team, score) VALUES (?, ?)", arguments: [team, score])
        case 3: try db.execute(sql: "DELETE FROM player WHERE id = ?", arguments: [id])
        case 4: try db.execute(sql: "UPDATE player SET team = ? WHERE id = ?", arguments: [team, id])
        case 5: try db.execute(sql: "UPDATE player SET score = ? WHERE id = ?", arguments: [score, id])
        case 6: try db.execute(sql: "UPDATE player SET team = ? WHERE team = 'f'", arguments: [team])
        default: try db.execute(sql: "UPDATE player SET team = 'f' WHERE team = ?", arguments: [team])
        }
    }

    /// An update of one row reads the rows of one leaf of the tree.
    func testOnlyChangedPartsAreReadAgain() throws {
        let dbQueue = try Self.makeDatabase(Configuration())
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
                    INSERT INTO player (team, score) SELECT char(97 + i % 20), i FROM n
                    """)
        }
        let calls = FetchCount()
        let values = Recorder<Sections>()
        let cancellable = ValueObservation.trackingList(Player.order(Column("team"), Column("score")))
            .sections { player in
                calls.add()
                return player.team
            }
            .start(
                in: dbQueue, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
        values.wait { $0.count == 1 }
        XCTAssertEqual(calls.value, 10_000)
        for (index, id) in [1, 5_000, 10_000].enumerated() {
            let before = calls.value
            try dbQueue.write { db in
                try db.execute(sql: "UPDATE player SET team = 'x' WHERE id = ?", arguments: [id])
            }
            values.wait { $0.last?.last.map { [$0.id == "x", $0.count == index + 1] } == [true, true] }
            // Two leaves of up to 32 rows, which may share rows with their neighbours.
            XCTAssertLessThan(calls.value - before, 150)
        }
        cancellable.cancel()
    }

    func testTheSampleCompiles() throws { try MainActor.assumeIsolated { try Self.checkSample() } }

    @MainActor
    private static func checkSample() throws {
        let dbQueue = try Self.makeDatabase(Configuration())
        let teams = ValueObservation.trackingList(Player.order(Column("team"))).sections { $0.team }
        try dbQueue.write { db in try db.execute(sql: "INSERT INTO player VALUES (1, 'a', 2)") }
        let live = LiveSections(teams, in: dbQueue, scheduling: .immediate)
        let reader = live.addReader()
        XCTAssertEqual(live.rows.map(\.id), ["a"])
        reader.cancel()
    }

    func testLiveListsAndSectionsKnowTheirLastChange() throws {
        try MainActor.assumeIsolated { try Self.checkLiveRows() }
    }

    @MainActor
    private static func checkLiveRows() throws {
        let dbQueue = try Self.makeDatabase(Configuration())
        let list = LiveList<Player>(
            .trackingList(Player.order(Column("score"))), in: dbQueue, scheduling: .immediate)
        let sections = LiveSections<String, Player>(Self.observation, in: dbQueue, scheduling: .immediate)
        XCTAssertTrue(list.rows.isEmpty)
        XCTAssertTrue(sections.rows.isEmpty)
        let readers = [list.addReader(), sections.addReader()]
        for (number, team) in ["a", "b", "a"].enumerated() {
            try dbQueue.write { db in
                try db.execute(
                    sql: "INSERT INTO player (team, score) VALUES (?, ?)", arguments: [team, number])
            }
            while list.rows.count <= number || sections.rows.rows.count <= number {
                _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
            }
        }
        XCTAssertEqual(Array(list.lastChange.inserted.ranges.joined()), [2])
        XCTAssertEqual(sections.rows.map(\.id), ["a", "b"])
        XCTAssertEqual(sections.lastChange.inserted, [SectionPath(section: 0, row: 0)])
        XCTAssertTrue(sections.lastChange.insertedSections.isEmpty)
        readers.forEach { $0.cancel() }
    }
}

private final class FetchCount: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}
