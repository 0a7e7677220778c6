// Reads a database of SQLite.swift, whose dates have the letter T.
import Foundation
import Vigil

let dbQueue = try DatabaseQueue()

// A table as SQLite.swift creates and fills it.
try dbQueue.write { db in
    try db.execute(
        sql: """
            CREATE TABLE "users" ("id" INTEGER PRIMARY KEY NOT NULL, "email" TEXT UNIQUE, "joined" TEXT, "admin" INTEGER);
            INSERT INTO users (email, joined, admin) VALUES ('ada@example.com', '2024-02-29T17:30:00.000', 1);
            """)
}

struct User: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "users"
    var id: Int64
    var email: String?
    var joined: Date
    var admin: Bool
}

for user in try dbQueue.read(User.fetchAll) {
    print(user.email ?? "", user.joined.timeIntervalSince1970, user.admin)
}
