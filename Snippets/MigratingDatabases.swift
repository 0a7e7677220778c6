// Migrations, and features that depend on the version of SQLite.

// snippet.hide
import Foundation
// snippet.show
import Vigil

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appendingPathComponent("players.db").path
let dbPool = try DatabasePool(path: path)
// snippet.show
var migrator = DatabaseMigrator()
migrator.registerMigration("createPlayers") { db in
    try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
    }
}
migrator.registerMigration("addScores") { db in
    try db.alter(table: "player") { t in
        t.add(column: "score", .integer).notNull().defaults(to: 0)
    }
}
try migrator.migrate(dbPool)

// snippet.hide
let dbQueue = try DatabaseQueue(path: path)
// snippet.show
try dbQueue.write { db in
    if db.supports(.dropColumn) {
        try db.alter(table: "player") { t in t.drop(column: "score") }
    }
}
