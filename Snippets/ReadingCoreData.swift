// Copies the players of a Core Data or SwiftData store to a database of Vigil.
import Foundation
import Vigil

let folder = NSTemporaryDirectory() + "\(UUID())/"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)

// A store as Core Data writes it: Z and capitals, dates in seconds since 2001, a relationship to a team.
try DatabaseQueue(path: folder + "old.sqlite").write { db in
    try db.execute(
        sql: """
            CREATE TABLE ZTEAM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            CREATE TABLE ZPLAYER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZTEAM INTEGER, ZJOINED TIMESTAMP, ZNAME VARCHAR);
            INSERT INTO ZTEAM VALUES (1, 2, 1, 'Reds');
            INSERT INTO ZPLAYER VALUES (1, 1, 1, 1, 0, 'Ada'), (2, 1, 1, NULL, 86400, 'Barbara');
            """)
}

struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var joined: Date
    var team: String?
}

// Nothing of Core Data may have the store open. A read-only connection leaves it as it is.
var configuration = Configuration()
configuration.readonly = true
let old = try DatabaseQueue(path: folder + "old.sqlite", configuration: configuration)
let players = try old.read { db in
    try Row.fetchAll(
        db,
        sql: """
            SELECT ZPLAYER.Z_PK, ZPLAYER.ZNAME, ZJOINED, ZTEAM.ZNAME AS team
            FROM ZPLAYER LEFT JOIN ZTEAM ON ZTEAM.Z_PK = ZPLAYER.ZTEAM
            """
    ).map { row in
        Player(
            id: row["Z_PK"], name: row["ZNAME"], joined: Date(timeIntervalSinceReferenceDate: row["ZJOINED"]),
            team: row["team"])
    }
}

let dbPool = try DatabasePool(path: folder + "new.sqlite")
try dbPool.write { db in
    try db.create(table: "player") { t in
        t.primaryKey("id", .integer)
        t.column("name", .text).notNull()
        t.column("joined", .datetime).notNull()
        t.column("team", .text)
    }
    for player in players { try player.insert(db) }
}
for row in try dbPool.read({ db in try Row.fetchAll(db, sql: "SELECT name, joined, team FROM player") }) {
    print(row["name"] as String, row["joined"] as String, row["team"] as String? ?? "no team")
}
