// Requests composed of methods, and their expressions.

import Vigil

struct Team: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
}

struct Player: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: Int64
    var teamId: Int64
    var name: String
    var score: Int
    var email: String?

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let teamId = Column(CodingKeys.teamId)
        static let name = Column(CodingKeys.name)
        static let score = Column(CodingKeys.score)
        static let email = Column(CodingKeys.email)
    }
}

// snippet.hide
let dbQueue = try DatabaseQueue()
try dbQueue.write { db in
    try db.create(table: "team") { t in
        t.primaryKey("id", .integer)
        t.column("name", .text).notNull()
    }
    try db.create(table: "player") { t in
        t.primaryKey("id", .integer)
        t.column("teamId", .integer).notNull().references("team")
        t.column("name", .text).notNull()
        t.column("score", .integer).notNull()
        t.column("email", .text)
        t.column("info", .text)
    }
    try Team(id: 5, name: "Analysts").insert(db)
    try Player(id: 1, teamId: 5, name: "Ada", score: 41, email: "ada@example.com").insert(db)
    try Player(id: 2, teamId: 5, name: "Barbara", score: 37).insert(db)
}
// snippet.show
// SELECT * FROM player WHERE teamId = 5 AND score > 30 ORDER BY score DESC LIMIT 10
let best =
    Player
    .filter { $0.teamId == 5 && $0.score > 30 }
    .order(\.score.desc)
    .limit(10)

let players = try dbQueue.read { db in try best.fetchAll(db) }
let playerCount = try dbQueue.read { db in try best.fetchCount(db) }

// The same request without a list of columns
let sameBest =
    Player
    .filter(Column("teamId") == 5 && Column("score") > 30)
    .order(Column("score").desc)
    .limit(10)

let observation = ValueObservation.trackingAll(best)
// snippet.hide
print(players.map(\.name), playerCount)
print(try dbQueue.read { db in try sameBest.fetchCount(db) })
for try await players in observation.values(in: dbQueue) {
    print(players.count)
    break
}
// snippet.show
// A sequence of arrays: a new one each time the ten best players, their order or their columns change
let changedPlayers = best.observeAll(in: dbQueue)

// Called inside a write access: at the start, and after each commit that may change them
let changes = best.changes(in: dbQueue) { error in
    print(error)
} onChange: { db in
    print("Players have changed")
}
// snippet.hide
for try await players in changedPlayers {
    print(players.count)
    break
}
changes.cancel()
// snippet.show
// Names of players, as strings
let names = Player.select(Column("name"), as: String.self).distinct()

// The highest score of each team with at least two players
let highScores =
    Player
    .select(Column("teamId"), max(Column("score")).forKey("best"))
    .group(Column("teamId"))
    .having(count(Column("id")) >= 2)
    .asRequest(of: Row.self)

// A table without a record type
let scores = Table("player").select(Column("score"), as: Int.self)
// snippet.hide
try dbQueue.read { db in
    print(try names.fetchAll(db), try highScores.fetchAll(db).count, try scores.fetchAll(db))
}
// snippet.show
try dbQueue.write { db in
    try Player.filter { $0.score < 40 }.updateAll(db) { $0.score += 10 }
    try Player.filter { $0.email == nil }.deleteAll(db)
}

// Teams with a player who has more than 40 points
let team = TableAlias(for: Team.self)
let strongTeams = Team.aliased(team)
    .filter(Player.filter { $0.teamId == team[Column("id")] && $0.score > 40 }.exists())

// WITH best AS (SELECT * FROM player ORDER BY score DESC LIMIT 10) SELECT * FROM best ORDER BY name
let top = CommonTableExpression<Player>(
    named: "best", request: Player.order(Column("score").desc).limit(10))
let topByName = top.all().with(top).order(Column("name"))

// A piece of SQL in a request, and a request in SQL
let longNames = Player.filter(literal: "LENGTH(name) > \(10)")
let average: SQLRequest<Double> = "SELECT AVG(score) FROM (\(best))"
// snippet.hide
try dbQueue.read { db in
    print(try strongTeams.fetchAll(db).map(\.name), try topByName.fetchAll(db).map(\.name))
    print(try longNames.fetchCount(db), try average.fetchOne(db) ?? 0)
}
// snippet.show
let (name, score, email) = (Column("name"), Column("score"), Column("email"))
let comparisons = [
    score == 41,  // score = 41
    email == nil,  // email IS NULL
    score > 30 && !(name == "Ada"),  // score > 30 AND name <> 'Ada'
    [1, 2, 3].contains(score),  // score IN (1, 2, 3)
    (10...20).contains(score),  // score BETWEEN 10 AND 20
    name.like("A%"),  // name LIKE 'A%'
    name.collating(.nocase) == "ada",  // name = 'ada' COLLATE NOCASE
]

let computations = [
    (score * 2 + 1) / 3 > 10,
    (email ?? "none") == "none",  // IFNULL(email, 'none') = 'none'
    length(name) > 5,
    cast(score, as: .text) == "41",
    name.uppercased == "ADA",  // by Swift's rules for all of Unicode
]

let info = JSONColumn("info")
// SELECT * FROM player WHERE info ->> 'city' = 'Paris' ORDER BY info ->> '$.scores[0]'
let inParis = Player.filter(info["city"] == "Paris").order(info["$.scores[0]"])
// UPDATE player SET info = JSON_SET(info, '$.city', 'Rome') WHERE info ->> 'city' = 'Paris'
try dbQueue.write { db in
    // snippet.hide
    guard db.supports(.jsonOperators) else { return }
    // snippet.show
    try inParis.unordered().updateAll(db, info.set(to: Database.jsonSet(info, ["$.city": "Rome"])))
}

let total = Player.select(sum(Column("score")), as: Int.self)
let mails = Player.select(count(distinct: Column("email")), as: Int.self)
let upperBound = Player.select(max(Column("score")), as: Int.self)

let initials = DatabaseFunction("initials", argumentCount: 1, pure: true) { values in
    String.fromDatabaseValue(values[0])?.first.map(String.init)
}
let firstLetters = Player.select(initials(Column("name")), as: String.self)
// snippet.hide
try dbQueue.write { db in
    db.add(function: initials)
    print(try total.fetchOne(db) ?? 0, try mails.fetchOne(db) ?? 0, try upperBound.fetchOne(db) ?? 0)
    print(try firstLetters.fetchAll(db))
    for condition in comparisons + computations {
        let request = Player.filter(condition)
        print(try request.makePreparedRequest(db).statement.sql, try request.fetchCount(db))
    }
}
