// Observes a database file that other connections and processes modify too.
import Foundation
import Vigil

struct Player: Decodable, Equatable, FetchableRecord {
    var name: String
    var score: Int
}

var configuration = Configuration()
configuration.foreignChanges = .observed
configuration.busyMode = .timeout(5)  // waits while others write, up to five seconds

let path = NSTemporaryDirectory() + "\(UUID()).db"
let dbPool = try DatabasePool(path: path, configuration: configuration)
try dbPool.write { db in
    try db.execute(sql: "CREATE TABLE player (name TEXT PRIMARY KEY, score INTEGER NOT NULL)")
    try db.execute(sql: "INSERT INTO player VALUES ('Ada', 41), ('Barbara', 37)")
}

let bestPlayers = ValueObservation.tracking { db in
    try Player.fetchAll(db, sql: "SELECT * FROM player ORDER BY score DESC LIMIT 3")
}

for try await players in bestPlayers.removeDuplicates().values(in: dbPool) {
    print(players.map { "\($0.name) \($0.score)" }.joined(separator: ", "))
    if players.first?.name == "Barbara" { break }
    // Another connection, as another process would open it.
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try other.write { db in
        try db.execute(sql: "UPDATE player SET score = 50 WHERE name = 'Barbara'")
    }
}
