import Foundation
import Vigil
import XCTest

private struct Place: Codable, Equatable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
}

/// A record whose identity must be kept, such as an annotation of a map.
private final class Pin: FetchableRecord, PersistableRecord {
    static let databaseTableName = "place"
    let id: Int64
    var name: String

    init(row: Row) {
        id = row["id"]
        name = row["name"]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }
}

private struct Stay: Codable, Equatable, FetchableRecord, PersistableRecord {
    var place: String
    var day: Int
    var guest: String?
}

final class PrimaryKeyDiffScannerTests: XCTestCase {
    private func onEachPlaces(_ body: (Database) throws -> Void) throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: "CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT)")
                try body(db)
            }
        }
    }

    private func rows(_ db: Database, _ request: some FetchRequest) throws -> [Row] {
        try Row.fetchAll(db, request)
    }

    func testInsertedUpdatedAndDeletedRecordsAreReported() throws {
        try onEachPlaces { db in
            let request = Place.orderByPrimaryKey()
            var scanner = try PrimaryKeyDiffScanner(database: db, request: request, initialRecords: [])
            XCTAssertTrue(scanner.diff.isEmpty)

            try db.execute(sql: "INSERT INTO place VALUES (1, 'Arles'), (2, 'Brest'), (3, 'Cahors')")
            scanner = try scanner.diffed(from: rows(db, request))
            let (arles, brest, cahors) = (
                Place(id: 1, name: "Arles"), Place(id: 2, name: "Brest"), Place(id: 3, name: "Cahors")
            )
            XCTAssertEqual(scanner.diff, PrimaryKeyDiff(inserted: [arles, brest, cahors]))

            try db.execute(
                sql: """
                    DELETE FROM place WHERE id = 1; UPDATE place SET name = 'Brive' WHERE id = 2;
                    INSERT INTO place VALUES (-1, 'Dijon'), (4, 'Évry')
                    """)
            scanner = try scanner.diffed(from: rows(db, request))
            XCTAssertEqual(
                scanner.diff,
                PrimaryKeyDiff(
                    inserted: [Place(id: -1, name: "Dijon"), Place(id: 4, name: "Évry")],
                    updated: [Place(id: 2, name: "Brive")], deleted: [arles]))
            XCTAssertTrue(try scanner.diffed(from: rows(db, request)).diff.isEmpty)
            XCTAssertEqual(try scanner.diffed(from: []).diff.deleted.map(\.id), [-1, 2, 3, 4])
        }
    }

    func testFirstRowsAreComparedWithInitialRecords() throws {
        try onEachPlaces { db in
            try db.execute(sql: "INSERT INTO place VALUES (1, 'Arles'), (2, 'Brest'), (3, 'Cahors')")
            let request = Place.orderByPrimaryKey()
            let known = [
                Place(id: 4, name: "Dijon"), Place(id: 2, name: "Brest"), Place(id: 1, name: "?"),
            ]
            let scanner = try PrimaryKeyDiffScanner(database: db, request: request, initialRecords: known)
                .diffed(from: rows(db, request))
            XCTAssertEqual(
                scanner.diff,
                PrimaryKeyDiff(
                    inserted: [Place(id: 3, name: "Cahors")], updated: [Place(id: 1, name: "Arles")],
                    deleted: [Place(id: 4, name: "Dijon")]))
        }
    }

    func testRowsWithColumnsThatInitialRecordsLackAreUpdated() throws {
        try onEachPlaces { db in
            try db.execute(sql: "INSERT INTO place VALUES (1, 'Arles')")
            let request = SQLRequest<Place>(sql: "SELECT *, 1 AS rank FROM place")
            let scanner = try PrimaryKeyDiffScanner(
                database: db, request: request, initialRecords: [Place(id: 1, name: "Arles")])
            XCTAssertEqual(try scanner.diffed(from: rows(db, request)).diff.updated.map(\.id), [1])
        }
    }

    func testUpdateRecordKeepsTheIdentityOfObjects() throws {
        try onEachPlaces { db in
            try db.execute(sql: "INSERT INTO place VALUES (1, 'Arles'), (2, 'Brest')")
            let request = Pin.orderByPrimaryKey()
            var scanner = try PrimaryKeyDiffScanner(
                database: db, request: request, initialRecords: [],
                updateRecord: { pin, row in
                    pin.name = row["name"]
                    return pin
                })
            scanner = try scanner.diffed(from: rows(db, request))
            let pins = scanner.diff.inserted
            try db.execute(sql: "UPDATE place SET name = 'Brive' WHERE id = 2")
            scanner = try scanner.diffed(from: rows(db, request))
            XCTAssertEqual(scanner.diff.updated.count, 1)
            XCTAssertTrue(scanner.diff.updated.first === pins.last)
            XCTAssertEqual(pins.last?.name, "Brive")
            // The unchanged record is kept too.
            scanner = try scanner.diffed(from: [])
            XCTAssertTrue(scanner.diff.deleted.first === pins.first)
        }
    }

    func testErrorOfUpdateRecordKeepsTheScanner() throws {
        struct Refused: Error {}
        try onEachPlaces { db in
            try db.execute(sql: "INSERT INTO place VALUES (1, 'Arles')")
            let request = Place.orderByPrimaryKey()
            let scanner = try PrimaryKeyDiffScanner(
                database: db, request: request, initialRecords: [], updateRecord: { _, _ in throw Refused() })
            let first = try scanner.diffed(from: rows(db, request))
            try db.execute(sql: "UPDATE place SET name = 'Arras'")
            XCTAssertThrowsError(try first.diffed(from: rows(db, request))) { XCTAssertTrue($0 is Refused) }
            XCTAssertEqual(try first.diffed(from: []).diff.deleted, [Place(id: 1, name: "Arles")])
        }
    }

    func testAllColumnsOfACompositeKeyAreCompared() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(
                    sql: "CREATE TABLE stay (guest TEXT, day INT, place TEXT, PRIMARY KEY (place, day))")
                let stays = [
                    Stay(place: "a", day: 1, guest: "x"), Stay(place: "a", day: 2, guest: nil),
                    Stay(place: "b", day: 1, guest: "x"),
                ]
                for stay in stays { try stay.insert(db) }
                let request = Stay.orderByPrimaryKey()
                let scanner = try PrimaryKeyDiffScanner(
                    database: db, request: request, initialRecords: [stays[2], stays[0]])
                XCTAssertEqual(
                    try scanner.diffed(from: rows(db, request)).diff, PrimaryKeyDiff(inserted: [stays[1]]))
                try db.execute(sql: "UPDATE stay SET day = 3 WHERE place = 'a' AND day = 1")
                XCTAssertEqual(
                    try scanner.diffed(from: rows(db, request)).diff,
                    PrimaryKeyDiff(
                        inserted: [stays[1], Stay(place: "a", day: 3, guest: "x")], deleted: [stays[0]]))
            }
        }
    }

    func testKeyThatIsNotSelectedIsAnError() throws {
        try onEachPlaces { db in
            let message =
                "the primary key column \"id\" is not selected: select all columns of the primary key to "
                + "compute differences"
            let request = SQLRequest<Place>(sql: "SELECT name FROM place")
            assertDatabaseError(.SQLITE_MISUSE, message) {
                try PrimaryKeyDiffScanner(database: db, request: request, initialRecords: [])
            }
            let scanner = try PrimaryKeyDiffScanner(
                database: db, request: Place.all(), initialRecords: [])
            assertDatabaseError(.SQLITE_MISUSE, message) {
                try scanner.diffed(from: [Row(["name": "Arles"])])
            }
        }
    }

    func testRowsMayBeSortedByTheCollationOfTheKey() throws {
        struct City: Codable, Equatable, FetchableRecord, PersistableRecord {
            var code: String
        }
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: "CREATE TABLE city (code TEXT COLLATE NOCASE PRIMARY KEY)")
                for code in ["a", "B", "c", "D"] { try City(code: code).insert(db) }
                let request = City.orderByPrimaryKey()
                XCTAssertEqual(try request.fetchAll(db).map(\.code), ["a", "B", "c", "D"])
                let scanner = try PrimaryKeyDiffScanner(database: db, request: request, initialRecords: [])
                    .diffed(from: rows(db, request))
                XCTAssertEqual(scanner.diff.inserted.map(\.code), ["B", "D", "a", "c"])
                try db.execute(
                    sql: "UPDATE city SET code = 'b' WHERE code = 'b'; DELETE FROM city WHERE code = 'c'")
                let diff = try scanner.diffed(from: rows(db, request)).diff
                XCTAssertEqual(
                    diff,
                    PrimaryKeyDiff(inserted: [City(code: "b")], deleted: [City(code: "B"), City(code: "c")]))
            }
        }
    }

    func testValuesOfAnotherTypeAreUpdates() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(
                    sql: "CREATE TABLE place (id INTEGER PRIMARY KEY, name); INSERT INTO place VALUES (1, 1)")
                let request = Keyed.all()
                let scanner = try PrimaryKeyDiffScanner(database: db, request: request, initialRecords: [])
                    .diffed(from: rows(db, request))
                XCTAssertEqual(scanner.diff.inserted.map(\.name?.storage), [.int64(1)])
                try db.execute(sql: "UPDATE place SET name = 1.0")
                let diff = try scanner.diffed(from: rows(db, request)).diff
                XCTAssertEqual(diff.updated.map(\.name?.storage), [.double(1)])
            }
        }
    }

    func testScopesAreCompared() throws {
        try onEachPlaces { db in
            try db.execute(sql: "INSERT INTO place VALUES (1, 'Arles')")
            let adapter = RangeRowAdapter(0..<2).addingScopes(["rank": SuffixRowAdapter(fromIndex: 2)])
            func rows(rank: String) throws -> [Row] {
                try Row.fetchAll(db, sql: "SELECT *, \(rank) AS rank FROM place", adapter: adapter)
            }
            // A record decodes more from the row than it encodes.
            let scanner = try PrimaryKeyDiffScanner(
                database: db, request: Place.all(), initialRecords: [Place(id: 1, name: "Arles")]
            ).diffed(from: rows(rank: "1"))
            XCTAssertEqual(scanner.diff.updated.map(\.id), [1])
            XCTAssertTrue(try scanner.diffed(from: rows(rank: "1")).diff.isEmpty)
            XCTAssertEqual(try scanner.diffed(from: rows(rank: "1.0")).diff.updated.map(\.id), [1])
        }
    }

    func testPrefetchedRowsAreComparedWithInitialRecords() throws {
        try onEachPlaces { db in
            let row = Row(["id": 1, "name": "Arles"])
            row.prefetchedRows.setRows([Row(["day": 1])], forKeyPath: ["stays"])
            let scanner = try PrimaryKeyDiffScanner(
                database: db, request: Place.all(), initialRecords: [Place(id: 1, name: "Arles")])
            XCTAssertTrue(
                try scanner.diffed(from: [Row(["id": 1, "name": "Arles"])]).diff.isEmpty)
            XCTAssertEqual(try scanner.diffed(from: [row]).diff.updated.map(\.id), [1])
        }
    }

    func testKeysOfInitialRecordsAreConvertedByTheColumn() throws {
        let keys: [(type: String, encoded: DatabaseValue)] = [
            ("TEXT", 1.databaseValue), ("VARCHAR(5)", 1.databaseValue), ("INTEGER", "1".databaseValue),
            ("NUMERIC", "-1.50".databaseValue), ("DOUBLE", "2.5".databaseValue),
            ("BLOB", "1".databaseValue), ("TEXT", "1".databaseValue),
        ]
        try onEachQueue { dbQueue in
            for (type, encoded) in keys {
                try dbQueue.write { db in
                    try db.execute(sql: "CREATE TABLE place (id \(type) PRIMARY KEY)")
                    try db.execute(sql: "INSERT INTO place VALUES (?)", arguments: [encoded])
                    let request = SQLRequest<Keyed>(sql: "SELECT * FROM place")
                    let scanner = try PrimaryKeyDiffScanner(
                        database: db, request: request, initialRecords: [Keyed(row: ["id": encoded])])
                    let diff = try scanner.diffed(from: rows(db, request)).diff
                    XCTAssertTrue(diff.isEmpty, "\(type) \(encoded): \(diff)")
                    try db.execute(sql: "DROP TABLE place")
                }
            }
        }
    }

    func testKeysAreComparedInTheOrderOfTheDatabase() throws {
        // In ascending order. 2⁵³ + 1 and the neighbours of ±2⁶³ are not exact as reals.
        let values: [DatabaseValue] = [
            .null, (-Double.infinity).databaseValue, Int64.min.databaseValue, (-1.5).databaseValue,
            (-1).databaseValue, 0.databaseValue, 0.5.databaseValue, 9_007_199_254_740_992.0.databaseValue,
            9_007_199_254_740_993.databaseValue, Int64.max.databaseValue,
            9_223_372_036_854_775_808.0.databaseValue, "".databaseValue, "A".databaseValue,
            "a".databaseValue, "ab".databaseValue, "e\u{301}".databaseValue, "é".databaseValue,
            Data().databaseValue, Data([0]).databaseValue, Data([1]).databaseValue,
        ]
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: "CREATE TABLE place (id PRIMARY KEY, name TEXT)")
                for value in values.reversed() {
                    try db.execute(sql: "INSERT INTO place VALUES (?, 'x')", arguments: [value])
                }
                let sorted = try Row.fetchAll(db, sql: "SELECT * FROM place ORDER BY id")
                XCTAssertEqual(sorted.map { $0["id"] as DatabaseValue }, values)
                let request = SQLRequest<Keyed>(sql: "SELECT * FROM place")
                let scanner = try PrimaryKeyDiffScanner(database: db, request: request, initialRecords: [])
                XCTAssertEqual(
                    try scanner.diffed(from: sorted.reversed()).diff.inserted.map(\.id), values)
            }
        }
    }

    private struct Keyed: FetchableRecord, PersistableRecord {
        static let databaseTableName = "place"
        let id: DatabaseValue
        let name: DatabaseValue?
        init(row: Row) {
            id = row["id"]
            name = row["name"]
        }
        func encode(to container: inout PersistenceContainer) { container["id"] = id }
    }
}
