// Observes values that belong together, all from the same commit, and uses options that keep many observations cheap.

// snippet.hide
import Dispatch
import Foundation
// snippet.show
import Vigil

// snippet.hide

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appendingPathComponent("players.db").path
let dbPool = try DatabasePool(path: path)
try dbPool.write { db in
    try db.execute(
        sql: """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
            INSERT INTO player (name, score) VALUES ('Ada', 41), ('Barbara', 37);
            """)
}
let isDone = DispatchSemaphore(value: 0)
// snippet.show
let names: SQLRequest<String> = "SELECT name FROM player ORDER BY score DESC"
let total: SQLRequest<Int> = "SELECT SUM(score) FROM player"

let screen = ObservationGroup(
    ValueObservation.trackingAll(names),
    ValueObservation.trackingOne(total))

let cancellable = screen.start(in: dbPool, scheduling: .async(onQueue: .global())) { error in
    print("The observation ended:", error)
} onChange: { names, total in
    // The total is that of these players: both are of one commit.
    print(names.joined(separator: ", "), total ?? 0)
    // snippet.hide
    if total == 91 { isDone.signal() }
    // snippet.show
}

let pause = ObservationPause()
let clock = ValueObservation.trackingOne(total)
    .throttled(.milliseconds(100))  // at most ten fetches in a second, the last value always
    .pausable(by: pause)  // pause.pause(): nothing is fetched while the screen is hidden
    .labeled("clock")
// snippet.hide
let other = clock.start(
    in: dbPool, scheduling: .async(onQueue: .global()), onError: { _ in }, onChange: { _ in })
try dbPool.write { db in
    try db.execute(sql: "UPDATE player SET score = ? WHERE name = ?", arguments: [50, "Barbara"])
}
isDone.wait()
// snippet.show

for observation in dbPool.observations {
    print(observation.label, "fetched", observation.fetchCount, "times in", observation.fetchTime)
}
// snippet.hide
other.cancel()
cancellable.cancel()
