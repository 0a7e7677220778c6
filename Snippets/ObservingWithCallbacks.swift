// Receives the highest score in a callback, initially and whenever it may have changed.

// snippet.hide
import Dispatch
import Foundation
// snippet.show
import Vigil

// snippet.hide

let dbQueue = try DatabaseQueue()
try dbQueue.write { db in
    try db.execute(
        sql: """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
            INSERT INTO player (name, score) VALUES ('Ada', 41), ('Barbara', 37);
            """)
}
// snippet.show
let highestScore = ValueObservation.tracking { db in
    try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player")
}

let cancellable = highestScore.start(in: dbQueue, scheduling: .immediate) { error in
    print("The observation ended:", error)
} onChange: { highest in
    print("The highest score is", highest ?? 0)
    // snippet.hide
    if highest == 50 { exit(0) }
    // snippet.show
}

try dbQueue.write { db in
    try db.execute(sql: "UPDATE player SET score = ? WHERE name = ?", arguments: [50, "Barbara"])
}
// snippet.hide
withExtendedLifetime(cancellable) { dispatchMain() }
