// Observes a database file that other connections and processes modify too.
import Foundation
import Vigil

let path = NSTemporaryDirectory() + "\(UUID()).db"
var configuration = Configuration()
configuration.foreignChanges = .observed
let dbPool = try DatabasePool(path: path, configuration: configuration)
try dbPool.write { db in
    try db.execute(sql: "CREATE TABLE player (name TEXT, score INT); INSERT INTO player VALUES ('Ada', 41)")
}

let leader = ValueObservation.tracking { db in
    try String.fetchOne(db, sql: "SELECT name FROM player ORDER BY score DESC LIMIT 1")
}
for try await name in leader.removeDuplicates().values(in: dbPool) {
    print(name ?? "No player", "leads")
    if name == "Barbara" { break }
    // Another connection, as another process would open it.
    try DatabaseQueue(path: path).write { db in
        try db.execute(sql: "INSERT INTO player VALUES ('Barbara', 50)")
    }
}
