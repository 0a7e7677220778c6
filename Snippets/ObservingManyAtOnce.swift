// Observes values that belong together, and limits what an observation costs.
import Vigil

let dbQueue = try DatabaseQueue()
try dbQueue.write { db in
    try db.execute(sql: "CREATE TABLE player (name TEXT PRIMARY KEY, score INTEGER NOT NULL)")
    try db.execute(sql: "INSERT INTO player VALUES ('Ada', 41), ('Barbara', 37)")
}

let names: SQLRequest<String> = "SELECT name FROM player ORDER BY score DESC"
let total: SQLRequest<Int> = "SELECT SUM(score) FROM player"

let pause = ObservationPause()
let sum = ValueObservation.trackingOne(total)
    .throttled(.milliseconds(100))  // at most ten fetches per second; the last value is always delivered
    .pausable(by: pause)
    .labeled("sum")
let cancellable = sum.start(in: dbQueue, scheduling: .immediate) { error in
    print("The observation ended:", error)
} onChange: { total in
    print("sum:", total ?? 0)
}
pause.pause()  // the screen is hidden: fetches nothing until pause.resume()

let table = ObservationGroup(
    ValueObservation.trackingAll(names),
    ValueObservation.trackingOne(total))
for try await (names, total) in table.observation.values(in: dbQueue) {
    // The total is that of these players: both stem from the same commit.
    print("table:", names.joined(separator: ", "), total ?? 0)
    if total == 91 { break }
    try dbQueue.write { db in
        try db.execute(sql: "UPDATE player SET score = 50 WHERE name = 'Barbara'")
    }
}

for observation in dbQueue.observations where observation.label == "sum" {
    print("fetches of the sum:", observation.fetchCount)
}
