// Saves players, and prints the best one whenever it may have changed.
import Vigil

struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var score: Int
}

let dbQueue = try DatabaseQueue()  // in memory
try dbQueue.write { db in
    try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
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
    try dbQueue.write { db in try Player(id: 2, name: "Barbara", score: 50).update(db) }
}
