// Shows the regions of observations, and which commits modify them.

import Vigil

// snippet.hide
let dbQueue = try DatabaseQueue()
try dbQueue.write { db in
    try db.execute(
        sql: """
            CREATE TABLE player (
                id INTEGER PRIMARY KEY, team INTEGER NOT NULL, name TEXT NOT NULL, score INTEGER NOT NULL);
            INSERT INTO player VALUES (1, 5, 'Ada', 41), (2, 6, 'Barbara', 37);
            """)
}
// snippet.show
let scores = ValueObservation.tracking { db in
    try Int.fetchAll(db, sql: "SELECT score FROM player WHERE team = 5")
}

let observed =
    scores
    .handleEvents(
        willTrackRegion: { region in print("region:", region.debugDescription) },
        didTrigger: { trigger in print("trigger:", trigger.debugDescription) })

let cancellable = observed.start(in: dbQueue, scheduling: .immediate) { error in
    print(error)
} onChange: { scores in
    print("scores:", scores)
}

// Nothing is fetched for these commits:
try dbQueue.write { db in
    try db.execute(sql: "UPDATE player SET score = 40 WHERE id = 2")  // another team
    try db.execute(sql: "UPDATE player SET name = 'Ada L.' WHERE id = 1")  // another column
    try db.execute(sql: "UPDATE player SET score = score")  // the same values
}

// These each cause a fetch:
try dbQueue.write { db in
    try db.execute(sql: "UPDATE player SET score = 42 WHERE id = 1")
}
try dbQueue.write { db in
    try db.execute(sql: "UPDATE player SET team = 5 WHERE id = 2")  // joins the team
}

// A cache, an index or a file that queries depend on, and that the database does not know:
try dbQueue.write { db in
    try db.notifyChanges(in: DatabaseRegion(table: "player"))
}
// snippet.hide
cancellable.cancel()
