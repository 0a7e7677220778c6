// Records that are saved, fetched by key and observed.

// snippet.hide
import Foundation
// snippet.show
import Vigil

struct Player: Codable, Identifiable {
    var id: Int64?
    var name: String
    var score = 0
}

extension Player: FetchableRecord, MutablePersistableRecord {
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

struct Place: Codable, FetchableRecord, PersistableRecord {
    var id: UUID
    var name: String
    var tags: Set<String>  // a JSON column
    var visitedAt: Date?

    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        .uppercaseString
    }

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .iso8601
    }
}

struct Coordinate {
    var latitude: Double
    var longitude: Double
}

struct Landmark {
    var name: String
    var coordinate: Coordinate
}

extension Landmark: FetchableRecord, PersistableRecord {
    init(row: Row) {
        name = row["name"]
        coordinate = Coordinate(latitude: row["latitude"], longitude: row["longitude"])
    }

    func encode(to container: inout PersistenceContainer) {
        container["name"] = name
        container["latitude"] = coordinate.latitude
        container["longitude"] = coordinate.longitude
    }
}

struct Setting: Codable, FetchableRecord, PersistableRecord {
    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
    var key: String
    var value: String
}

struct Document: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var title: String

    func willSave(_ db: Database) throws {
        if title.isEmpty { throw EmptyTitle() }
    }

    func didDelete(deleted: Bool) {
        if deleted { print("deleted \(title)") }
    }
}

struct EmptyTitle: Error {}

// snippet.hide
let dbQueue = try DatabaseQueue()
try dbQueue.write { db in
    try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().unique()
        t.column("score", .integer).notNull()
    }
    try db.create(table: "place") { t in
        t.primaryKey("id", .text)
        t.column("name", .text).notNull()
        t.column("tags", .text).notNull()
        t.column("visitedAt", .text)
    }
    try db.create(table: "landmark") { t in
        t.primaryKey("name", .text)
        t.column("latitude", .double).notNull()
        t.column("longitude", .double).notNull()
    }
    try db.create(table: "setting") { t in
        t.primaryKey("key", .text)
        t.column("value", .text).notNull()
    }
    try db.create(table: "document") { t in
        t.primaryKey("id", .integer)
        t.column("title", .text).notNull()
    }
}
// snippet.show
try dbQueue.write { db in
    var player = Player(name: "Ada")
    try player.insert(db)  // player.id is the row id of the inserted row

    player.score = 41
    try player.update(db)  // all columns
    try player.update(db, columns: ["score"])  // some columns

    var other = Player(name: "Barbara", score: 37)
    try other.save(db)  // updates the row with the primary key of the record, or inserts one
    try other.delete(db)
}

try dbQueue.write { db in
    let fetched = try Player.fetchOne(db, key: 1)  // nil if the player does not exist
    var player = try Player.find(db, key: 1)  // throws RecordError.recordNotFound

    let hasChanged = try player.updateChanges(db) {
        $0.score = 50
    }
    // snippet.hide
    print(fetched?.name ?? "-", player.score, hasChanged)
    // snippet.show
}

let players = try dbQueue.read { db in
    try Player.fetchAll(db, keys: [1, 2, 3])
}

let ada = ValueObservation.tracking { db in
    try Player.fetchOne(db, key: 1)
}

// snippet.hide
print(players.count)
for try await player in ada.values(in: dbQueue) {
    print(player?.name ?? "-")
    break
}
// snippet.show
try dbQueue.write { db in
    let player = try Player(name: "Grace", score: 45).insertAndFetch(db)
    // snippet.hide
    print(player.name)
    // snippet.show
}

try dbQueue.write { db in
    if db.supports(.upsertOnAnyConflict) {
        var player = Player(name: "Ada", score: 60)  // the name is unique
        try player.upsert(db)
    }
}

// snippet.hide
try dbQueue.write { db in
    let place = Place(id: UUID(), name: "Lisbon", tags: ["sea"], visitedAt: Date())
    try place.save(db)
    print(try Place.fetchCount(db))
    let tower = Coordinate(latitude: 48.86, longitude: 2.29)
    try Landmark(name: "Eiffel Tower", coordinate: tower).insert(db)
    print(try Landmark.find(db, key: "Eiffel Tower").coordinate.latitude)
    try Setting(key: "color", value: "red").insert(db)
    try Setting(key: "color", value: "blue").insert(db)
    print(try Setting.find(db, key: "color").value)
    try Document(id: 1, title: "Plans").insert(db)
    try Document(id: 1, title: "Plans").delete(db)
}
