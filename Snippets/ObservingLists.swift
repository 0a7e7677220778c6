// Observes a list that changes update row by row, and shows the difference to the previous version.
import Vigil

let dbQueue = try DatabaseQueue()
try dbQueue.write { db in
    try db.execute(
        sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL)")
    try db.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 41), (2, 'Barbara', 37), (3, 'Cleo', 52)")
}

struct Player: Codable, FetchableRecord, TableRecord, Sendable, Equatable, Identifiable {
    var id: Int64
    var name: String
    var score: Int
}

let ranking = ValueObservation.trackingList(Player.order(Column("score").desc))

// The version on the screen. UIKit and AppKit remove, insert and move rows in this way.
var shown = ObservedList<Player>()
var updates = 0
for try await players in ranking.values(in: dbQueue) {
    let change = players.changes(since: shown)
    print("removed:", change.removed.ranges, "inserted:", change.inserted.ranges)
    for move in change.moved { print("moved from", move.from, "to", move.to) }
    for index in change.updated.ranges.joined() { print("updated:", players[index]) }
    shown = players
    updates += 1
    if updates == 3 {
        for status in dbQueue.observations {
            if let list = status.list { print(status.label, list.rowFetchCount, list.fullFetchCounts) }
        }
        break
    }
    try dbQueue.write { [updates] db in
        try db.execute(sql: "UPDATE player SET score = score + ? WHERE id = 2", arguments: [updates * 3])
    }
}
print(shown.map(\.name).joined(separator: ", "))
