// Awaits the three best players, initially and whenever they may have changed.

// snippet.hide
import Foundation
// snippet.show
import Vigil

// snippet.hide

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appendingPathComponent("players.db").path
// snippet.show
struct Player: Sendable, Equatable {
    var name: String
    var score: Int
}

var configuration = Configuration()
configuration.foreignChanges = .observed  // commits of other processes too
let dbPool = try DatabasePool(path: path, configuration: configuration)
// snippet.hide
try dbPool.write { db in
    try db.execute(
        sql: """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
            INSERT INTO player (name, score) VALUES ('Ada', 41), ('Barbara', 37);
            """)
}
// snippet.show

let bestPlayers = ValueObservation.tracking { db in
    try Row.fetchAll(db, sql: "SELECT name, score FROM player ORDER BY score DESC LIMIT 3")
        .map { Player(name: $0["name"], score: $0["score"]) }
}

for try await players in bestPlayers.removeDuplicates().values(in: dbPool) {
    print(players.map { "\($0.name) \($0.score)" }.joined(separator: ", "))
    // snippet.hide
    if players.first?.score == 50 { break }
    try dbPool.write { db in
        try db.execute(sql: "UPDATE player SET score = ? WHERE name = ?", arguments: [50, "Barbara"])
    }
    // snippet.show
}
