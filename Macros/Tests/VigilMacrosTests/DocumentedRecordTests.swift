// The samples of the section *Macros* of the article *Records*, which a tidy test compares with this file.
import Foundation
import VigilMacros
import XCTest

@Record
struct Player {
    var id: Int64?
    var name: String
    @RecordColumn("points") var score = 0
    var position: Position?
    @RecordColumn(.json) var tags: [String] = []
}

enum Position: String { case goal, defence, attack }

@Record(.snakeCase)
struct Membership {
    @RecordColumn(.primaryKey) var teamID: Int64
    @RecordColumn(.primaryKey) var playerID: Int64
    @RecordNested var period: Period
    @RecordColumn(.generated) var days: Int?
    @RecordIgnored var isSelected = false
}

@Record(.keyless)
struct Period {
    var start: Date
    var end: Date?
}

@FetchedRecord
struct Scores {
    var position: Position?
    var total: Int
}

final class DocumentedRecordTests: XCTestCase {
    func testTheSamplesWork() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, points INTEGER, position TEXT, tags TEXT);
                    CREATE TABLE membership (team_id INTEGER, player_id INTEGER, start TEXT, end TEXT,
                        days INTEGER AS (julianday(end) - julianday(start)), PRIMARY KEY (team_id, player_id))
                    """)
        }

        try dbQueue.write { db in
            var player = Player(name: "Ada", score: 41, position: .goal)
            try player.insert(db)  // player.id is 1
            let best = try Player.filter { $0.score > 40 }.order(\.name).fetchAll(db)
            XCTAssertEqual(best.map(\.id), [player.id])
        }
        try dbQueue.write { db in
            let start = Date(timeIntervalSince1970: 0)
            let period = Period(start: start, end: start + 86_400)
            try Membership(teamID: 1, playerID: 1, period: period).insert(db)
            let membership = try XCTUnwrap(Membership.fetchOne(db))
            XCTAssertEqual(membership.days, 1)
            XCTAssertEqual(membership.period.end, period.end)
            XCTAssertEqual(membership.id, Membership.ID(teamID: 1, playerID: 1))
        }

        let scores = try dbQueue.read { db in
            try Scores.fetchAll(
                db, sql: "SELECT position, SUM(points) AS total FROM player GROUP BY position")
        }
        XCTAssertEqual(scores.map(\.total), [41])
        XCTAssertEqual(scores.map(\.position), [.goal])
    }
}
