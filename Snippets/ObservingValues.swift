// Prints the best player, and prints it again whenever it may have changed.
import Vigil

struct Player: Decodable, FetchableRecord {
    var name: String
    var score: Int
}

let dbQueue = try DatabaseQueue()  // in memory
try dbQueue.write { db in
    try db.execute(sql: "CREATE TABLE player (name TEXT PRIMARY KEY, score INTEGER NOT NULL)")
    try db.execute(sql: "INSERT INTO player VALUES ('Ada', 41), ('Barbara', 37)")
}

let bestPlayer = ValueObservation.tracking { db in
    try Player.fetchOne(db, sql: "SELECT * FROM player ORDER BY score DESC")
}

for try await player in bestPlayer.values(in: dbQueue) {
    guard let player else { continue }
    print("\(player.name) leads with \(player.score) points")
    if player.name == "Barbara" { break }
    try dbQueue.write { db in
        try db.execute(sql: "UPDATE player SET score = ? WHERE name = ?", arguments: [50, "Barbara"])
    }
}
