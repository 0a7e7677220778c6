// Runs a callback after each commit that modifies a table, on the connection that wrote.

import Vigil

// snippet.hide
let dbQueue = try DatabaseQueue()
try dbQueue.write { db in
    try db.execute(
        sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL)")
}
// snippet.show
let observation = DatabaseRegionObservation(tracking: DatabaseRegion(table: "player"))

let cancellable = observation.start(in: dbQueue) { error in
    print("The observation did not start:", error)
} onChange: { db in
    // No other write has run since the commit.
    print("Players:", (try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")) ?? 0)
}

try dbQueue.write { db in
    try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Ada', 41), ('Barbara', 37)")
}
// snippet.hide
cancellable.cancel()
