// Observes a database that other connections and processes write to.

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
let other = try DatabaseQueue(path: path)
try other.write { db in
    try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER NOT NULL)")
}
// snippet.show
var configuration = Configuration()
configuration.foreignChanges = .observed
configuration.busyMode = .timeout(10)  // 5 seconds by default, if foreign changes are observed
let dbPool = try DatabasePool(path: path, configuration: configuration)

let playerCount = ValueObservation.tracking { db in
    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
}

// Another process may change anything: equal values are dropped after the fetch.
for try await count in playerCount.removeDuplicates().values(in: dbPool) {
    print(count, "players")
    // snippet.hide
    if count == 1 { break }
    try other.write { db in try db.execute(sql: "INSERT INTO player (score) VALUES (10)") }
    // snippet.show
}

let callbacks = DispatchQueue(label: "App.callbacks")
let cancellable = playerCount.start(in: dbPool, scheduling: .async(onQueue: callbacks)) { error in
    if let error = error as? DatabaseError, error.extendedResultCode == .SQLITE_READONLY_DBMOVED {
        print("The file was replaced or deleted: open it again.")
    }
} onChange: { count in
    print(count, "players")
}

// Without `.observed`: report what the other process changed, as soon as you know it.
try dbPool.write { db in
    try db.notifyChanges(in: DatabaseRegion(table: "player"))
}
// snippet.hide
withExtendedLifetime(cancellable) {}
