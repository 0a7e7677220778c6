// The samples of the module overviews.

// snippet.hide
import Foundation
// snippet.show
import Vigil

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appendingPathComponent("players.db").path
let dbQueue = try DatabaseQueue(path: path)
let dbPool = try DatabasePool(path: path)
try dbQueue.write { db in
    try db.execute(
        sql: """
            CREATE TABLE player (
                id INTEGER PRIMARY KEY, team INTEGER NOT NULL, name TEXT NOT NULL, score INTEGER NOT NULL);
            INSERT INTO player VALUES (1, 5, 'Ada', 41), (2, 6, 'Barbara', 37);
            """)
}
do {
    // snippet.show
    try dbQueue.write { db in
        try db.execute(sql: "UPDATE player SET score = ? WHERE id = ?", arguments: [50, 2])
    }
    let names = try dbQueue.read { db in
        try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name")
    }
    // snippet.hide
    print(names)
}
do {
    // snippet.show
    let names = ValueObservation.tracking { db in
        try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name")
    }
    for try await names in names.values(in: dbPool) {
        print(names)
        // snippet.hide
        break
        // snippet.show
    }
    // snippet.hide
}
do {
    let (team, name) = (5, "Ada")
    // snippet.show
    let best: SQLRequest<Int> = "SELECT MAX(score) FROM player WHERE team = \(team)"
    let score = try dbQueue.read { db in try best.fetchOne(db) }

    try dbQueue.write { db in
        try db.execute(literal: "UPDATE player SET score = \(score) WHERE name = \(name)")
    }
    // snippet.hide
}
do {
    // snippet.show
    let names = DatabaseRegion(table: "player", columns: ["id", "name"])
    let arthur = DatabaseRegion(table: "player", rowIds: [1])
    print(names.intersection(arthur))  // player(id,name)[1]
    print(names.union(arthur))  // player(*)
    // snippet.hide
}
do {
    // snippet.show
    let highestScore = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player")
    }

    let cancellable = highestScore.start(in: dbQueue, scheduling: .immediate) { error in
        print("The observation ended:", error)
    } onChange: { highest in
        print("The highest score is", highest ?? 0)
    }
    // snippet.hide
    withExtendedLifetime(cancellable) {}
}
#if SQLite
    do {
        // snippet.show
        var configuration = Configuration()
        configuration.backend = SQLiteBackend(library: .path("/opt/sqlite/lib/libsqlite3.so"))
        // snippet.hide
        print(configuration.readonly)
    }
#endif

#if PostgreSQL
    func openServer() throws -> DatabasePool {
        // snippet.show
        let serverPool = try DatabasePool(server: "postgres://app@db.example.com/shop")
        // snippet.hide
        return serverPool
    }
#endif
