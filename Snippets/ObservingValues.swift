// Saves players, and prints the best one whenever it may have changed.
import Vigil

struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var score: Int
}

let dbQueue = try DatabaseQueue()  // in memory
try dbQueue.write { db in
    try db.create(table: "player") { t in
        t.primaryKey("id", .integer)
        t.column("name", .text).notNull()
        t.column("score", .integer).notNull()
    }
    try Player(id: 1, name: "Ada", score: 41).insert(db)
    try Player(id: 2, name: "Barbara", score: 37).insert(db)
}

let bestPlayer = ValueObservation.tracking { db in
    try Player.order(Column("score").desc).fetchOne(db)
}

for try await player in bestPlayer.values(in: dbQueue) {
    guard let player else { continue }
    print("\(player.name) leads with \(player.score) points")
    if player.name == "Barbara" { break }
    try dbQueue.write { db in
        var barbara = try Player.find(db, key: 2)
        barbara.score = 50
        try barbara.save(db)
    }
}
