// Runs a callback after each commit that modifies a table, on the connection that wrote.
import Vigil

let dbQueue = try DatabaseQueue()
try dbQueue.write { db in
    try db.execute(sql: "CREATE TABLE player (name TEXT PRIMARY KEY, score INTEGER NOT NULL)")
}

let observation = DatabaseRegionObservation(tracking: DatabaseRegion(table: "player"))
let cancellable = observation.start(in: dbQueue) { error in
    print("The observation did not start:", error)
} onChange: { db in
    // No other write has run since the commit.
    let count = try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
    print("Players:", count ?? 0)
}

try dbQueue.write { db in
    try db.execute(sql: "INSERT INTO player VALUES ('Ada', 41), ('Barbara', 37)")
}
