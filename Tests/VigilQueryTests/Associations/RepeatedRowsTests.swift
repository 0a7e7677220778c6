import Vigil
import XCTest

private struct Team: TableRecord, FetchableRecord, Codable {
    static let players = hasMany(Player.self)
    static let games = hasMany(Game.self, using: ForeignKey(["teamId"]))
    static let coach = belongsTo(Coach.self)
    static let medals = hasMany(Medal.self, through: players, using: Player.medals)
    static let rivals = hasMany(Team.self, through: games, using: Game.rival)
    var id: Int64
}

private struct Player: TableRecord, FetchableRecord, Codable {
    static let medals = hasMany(Medal.self)
    static let team = belongsTo(Team.self)
}

private struct Game: TableRecord, FetchableRecord, Codable {
    static let rival = belongsTo(Team.self, using: ForeignKey(["rivalId"]))
}

private struct Coach: TableRecord, FetchableRecord, Codable {
    static let teams = hasMany(Team.self)
}

private struct Medal: TableRecord, FetchableRecord, Codable {}

private struct Worker: TableRecord, FetchableRecord, Codable {
    static let reports = hasMany(Worker.self, key: "reports")
    static let manager = belongsTo(Worker.self, key: "manager")
}

/// Joins with a to-many association repeat the rows of others, which must not change sums and averages.
final class RepeatedRowsTests: QueryInterfaceTestCase {
    private let score = Column("score")
    private let goals = Column("goals")
    private let weight = Column("weight")
    private let teams = Team.orderByPrimaryKey()

    private static let schema = """
        CREATE TABLE coach(id INTEGER PRIMARY KEY);
        CREATE TABLE team(id INTEGER PRIMARY KEY, coachId INTEGER REFERENCES coach(id));
        CREATE TABLE player(id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team(id), score INTEGER);
        CREATE TABLE game(
            id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team(id), rivalId INTEGER REFERENCES team(id), goals INTEGER);
        CREATE TABLE medal(id INTEGER PRIMARY KEY, playerId INTEGER REFERENCES player(id), weight REAL);
        CREATE TABLE worker(id INTEGER PRIMARY KEY, managerId INTEGER REFERENCES worker(id), pay INTEGER);
        """

    private static let rows = """
        INSERT INTO coach VALUES (1);
        INSERT INTO team VALUES (1, 1), (2, 1), (3, NULL);
        INSERT INTO player VALUES (1, 1, 10), (2, 1, 20), (3, 1, 30), (4, 2, 5);
        INSERT INTO game VALUES (1, 1, 2, 1), (2, 1, 2, 3), (3, 2, 3, 8);
        INSERT INTO medal VALUES (1, 1, 5), (2, 1, 7), (3, 4, 1);
        INSERT INTO worker VALUES (1, NULL, 9), (2, 1, 5), (3, 1, 7), (4, 2, 1);
        """

    private func onEachLeague(rows: String = rows, _ body: (Database) throws -> Void) throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: Self.schema + rows)
                try body(db)
            }
        }
    }

    private func assertValues(
        _ db: Database, _ request: QueryInterfaceRequest<Team>, _ key: String, _ values: [Double?],
        line: UInt = #line
    ) throws {
        XCTAssertEqual(try Row.fetchAll(db, request).map { $0[key] }, values, line: line)
    }

    func testAggregatesOfSeveralAssociationsAreNotMultiplied() throws {
        let request = teams.annotated(
            with: Team.players.sum(score), Team.games.sum(goals), Team.players.average(score),
            Team.medals.total(weight).forKey("weights"), Team.games.count, Team.players.max(score))
        try onEachLeague { db in
            try assertValues(db, request, "playerScoreSum", [60, 5, nil])
            try assertValues(db, request, "gameGoalsSum", [4, 8, nil])
            try assertValues(db, request, "averagePlayerScore", [20, 5, nil])
            try assertValues(db, request, "weights", [12, 1, 0])
            try assertValues(db, request, "gameCount", [2, 1, 0])
            try assertValues(db, request, "maxPlayerScore", [30, 5, nil])
            XCTAssertEqual(try request.fetchCount(db), 3)
        }
    }

    func testAggregatesBesideJoinedAssociationsAreNotMultiplied() throws {
        let sum = Team.players.sum(score)
        try onEachLeague { db in
            let joined = teams.joining(optional: Team.games)
            try assertValues(db, joined.annotated(with: sum), "playerScoreSum", [60, 5, nil])
            try assertValues(
                db, teams.annotated(with: sum).including(required: Team.games), "playerScoreSum", [60, 5])
            try assertValues(
                db, teams.annotated(with: sum).joining(optional: Team.coach.joining(optional: Coach.teams)),
                "playerScoreSum", [60, 5, nil])
            try assertValues(
                db, teams.annotated(with: sum, Team.medals.count), "playerScoreSum", [60, 5, nil])
            try assertValues(
                db, teams.annotated(with: (sum / Team.games.count).forKey("n"), Team.medals.count), "n",
                [30, 5, nil])
        }
    }

    func testConditionsOnAggregatesAreNotMultiplied() throws {
        let busy = Team.players.sum(score) > 50 && Team.games.count > 1
        try onEachLeague { db in
            XCTAssertEqual(try teams.having(busy).fetchAll(db).map(\.id), [1])
            XCTAssertEqual(
                try teams.having(Team.players.sum(score) == 60 && Team.games.sum(goals) == 4).fetchAll(db)
                    .map(\.id), [1])
            XCTAssertEqual(try teams.having(Team.players.sum(score) > 60 && busy).fetchCount(db), 0)
            XCTAssertEqual(try Team.all().having(busy).updateAll(db, Column("coachId").set(to: nil)), 1)
        }
    }

    func testConditionsOfTheRequestApplyToAggregatedRows() throws {
        let (player, game) = (TableAlias(), TableAlias())
        let request = teams.annotated(
            with: Team.players.aliased(player).sum(score), Team.games.aliased(game).count)
        try onEachLeague { db in
            try assertValues(db, request.filter(player[score] > 10), "playerScoreSum", [50])
            try assertValues(db, request.filter(game[goals] > 2), "playerScoreSum", [60, 5])
            try assertValues(
                db, request.filter(player[score] > 10 && Column("id") < 3), "playerScoreSum", [50])
            assertError(
                .SQLITE_MISUSE,
                "a condition of a request of table team compares rows of different to-many associations, one of which is "
                    + "aggregated: aggregate it in a common table expression"
            ) { _ = try request.filter(player[score] > game[goals]).fetchAll(db) }
            let filtered = teams.joining(optional: Team.players.filter(score < 30))
                .annotated(with: Team.players.sum(score), Team.games.count)
            try assertValues(db, filtered, "playerScoreSum", [30, 5, nil])
        }
    }

    func testRequiredAssociationsRestrictAggregatedRows() throws {
        let sum = Team.players.joining(required: Player.medals).sum(score)
        try onEachLeague { db in
            try assertValues(db, teams.annotated(with: sum), "playerScoreSum", [10, 5, nil])
            try assertValues(
                db, teams.annotated(with: sum, Team.games.count), "playerScoreSum", [10, 5, nil])
            let nested = Team.players.joining(required: Player.team.joining(required: Team.games)).sum(score)
            try assertValues(db, teams.annotated(with: nested), "playerScoreSum", [60, 5, nil])
        }
    }

    func testOneAssociationIsAggregatedInTheJoin() throws {
        try onEachLeague { db in
            try assertSQL(
                db, Team.including(optional: Team.coach).annotated(with: Team.players.sum(score)),
                """
                SELECT "team".*, SUM("player"."score") AS "playerScoreSum", "coach".* FROM "team" \
                LEFT JOIN "coach" ON "coach"."id" = "team"."coachId" \
                LEFT JOIN "player" ON "player"."teamId" = "team"."id" GROUP BY "team"."id"
                """)
            try assertSQL(
                db, Team.annotated(with: Team.players.sum(score), Team.games.count),
                """
                SELECT "team".*, (SELECT SUM("player"."score") FROM "player" WHERE ("player"."teamId" = "team"."id")) \
                AS "playerScoreSum", COUNT(DISTINCT "game"."id") AS "gameCount" FROM "team" \
                LEFT JOIN "player" ON "player"."teamId" = "team"."id" \
                LEFT JOIN "game" ON "game"."teamId" = "team"."id" GROUP BY "team"."id"
                """)
        }
    }

    func testAggregatesInGroupsOfSeveralRowsAreNotRepeated() throws {
        let sum = Team.annotated(with: Team.players.sum(score)).group(Column("coachId"))
        try onEachLeague { db in
            XCTAssertEqual(
                try Row.fetchAll(db, sum.order(Column("coachId"))).map { $0["playerScoreSum"] as Int? },
                [nil, 65])
            assertError(
                .SQLITE_MISUSE,
                "a request of table team aggregates one of several to-many associations in groups of several rows: "
                    + "aggregate it in a common table expression"
            ) { _ = try sum.joining(optional: Team.games).fetchAll(db) }
        }
    }

    func testNamesOfAggregatesOrderRequestsWithJoins() throws {
        let request = Worker.annotated(with: Worker.reports.max(Column("pay")).forKey("maxPay"))
        try onEachLeague { db in
            for ordered in [request.order(Column("maxPay").desc), request.order(Column("MAXPAY")).reversed()]
            {
                XCTAssertEqual(try Row.fetchAll(db, ordered).compactMap { $0["maxPay"] as Int? }, [7, 1])
            }
            let sum = Team.annotated(with: Team.players.sum(score).forKey("total")).order(Column("total"))
            XCTAssertEqual(try sum.fetchAll(db).map(\.id), [3, 2, 1])
            let id = Team.annotated(with: Team.players.max(score).forKey("id")).order(Column("id").desc)
            XCTAssertEqual(try id.fetchAll(db).map(\.id), [3, 2, 1])
        }
    }

    func testPrefetchedGroupsBelongToOneParent() throws {
        let rivals = Team.rivals.annotated(with: Team.players.sum(score), Team.medals.count)
        let groups = Team.players.select(count(Column("id")).forKey("n"), score > 10).group(score > 10)
        try onEachLeague { db in
            let rows = try Row.fetchAll(db, teams.including(all: rivals).including(all: groups))
            XCTAssertEqual(
                rows.map { $0.prefetchedRows["teams"]?.map { $0["playerScoreSum"] as Int? } },
                [[5], [nil], []])
            XCTAssertEqual(
                rows.map { $0.prefetchedRows["players"]?.map { $0["n"] as Int }.sorted() },
                [[1, 2], [1], []])
        }
    }

    func testGroupsOfNullInAUniqueIndexHaveSeveralRows() throws {
        let rows = """
            CREATE UNIQUE INDEX teamByCoach ON team(coachId);
            CREATE UNIQUE INDEX playerByScore ON player(score);
            INSERT INTO coach VALUES (1);
            INSERT INTO team VALUES (1, 1), (2, NULL), (3, NULL);
            INSERT INTO player VALUES (1, 1, NULL), (2, 1, 5), (3, 2, NULL);
            """
        let players = Team.players.select(Column("id")).group(score)
        let sums = Team.annotated(with: Team.players.sum(score), Team.games.count).group(Column("coachId"))
        try onEachLeague(rows: rows) { db in
            let found = try Row.fetchAll(db, teams.including(all: players))
            XCTAssertEqual(
                found.map { $0.prefetchedRows["players"]?.map { $0["id"] as Int }.sorted() },
                [[1, 2], [3], []])
            assertError(
                .SQLITE_MISUSE,
                "a request of table team aggregates one of several to-many associations in groups of several rows: "
                    + "aggregate it in a common table expression"
            ) { _ = try sums.fetchAll(db) }
        }
    }

    func testAggregatesOfRandomRowsAreThoseOfEachAssociation() throws {
        let seed = randomSeed("RepeatedRowsTests")
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<10 {
            var (sql, scores, weights) = (
                "INSERT INTO team VALUES (1, NULL), (2, NULL), (3, NULL);", [0, 0, 0], [0, 0, 0]
            )
            for player in 1...(1 + numbers.next(12)) {
                let (team, score) = (numbers.next(3), numbers.next(100))
                scores[team] += score
                sql += "INSERT INTO player VALUES (\(player), \(team + 1), \(score));"
                for _ in 0..<numbers.next(3) {
                    let weight = numbers.next(9)
                    weights[team] += weight
                    sql += "INSERT INTO medal VALUES (NULL, \(player), \(weight));"
                }
            }
            for _ in 0..<numbers.next(6) {
                sql += "INSERT INTO game VALUES (NULL, \(1 + numbers.next(3)), NULL, 1);"
            }
            try onEachLeague(rows: sql) { db in
                let request = teams.annotated(
                    with: Team.players.total(score), Team.medals.total(weight), Team.games.count)
                let rows = try Row.fetchAll(db, request)
                let message = "seed \(seed): \(sql)"
                XCTAssertEqual(rows.map { $0["playerScoreSum"] }, scores.map { Double($0) }, message)
                XCTAssertEqual(rows.map { $0["medalWeightSum"] }, weights.map { Double($0) }, message)
            }
        }
    }
}
