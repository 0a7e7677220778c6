// Receives the highest score in a callback, initially and whenever it may have changed.
import Foundation
import Vigil

let dbQueue = try DatabaseQueue()
try dbQueue.write { db in
    try db.execute(sql: "CREATE TABLE player (name TEXT PRIMARY KEY, score INTEGER NOT NULL)")
    try db.execute(sql: "INSERT INTO player VALUES ('Ada', 41), ('Barbara', 37)")
}

let highestScore = ValueObservation.tracking { db in
    try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player")
}

let cancellable = highestScore.start(in: dbQueue, scheduling: .immediate) { error in
    print("The observation ended:", error)
} onChange: { highest in
    print("The highest score is", highest ?? 0)
    if highest == 50 { exit(0) }
}

try dbQueue.write { db in
    try db.execute(sql: "UPDATE player SET score = 50 WHERE name = 'Barbara'")
}

// Callbacks run on the main queue, which a command line program must run itself.
dispatchMain()
