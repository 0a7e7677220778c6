public import Foundation
public import VigilMacros
import VigilTesting
import XCTest

/// The state of a game, which is stored as its raw value.
private enum Status: String, Sendable { case open, won, lost }

/// A type of an app that converts itself.
private struct Points: DatabaseValueConvertible, Hashable {
    var count: Int
    var databaseValue: DatabaseValue { count.databaseValue }
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Points? {
        Int.fromDatabaseValue(dbValue).map(Points.init)
    }
}

@Record(.keyless)
private struct Coordinate: Hashable {
    var latitude: Double
    var longitude: Double
}

@Record
private struct Game: Hashable {
    var id: Int64?
    @RecordColumn("title") var name: String
    var status: Status
    var earlier: Status?
    var points: Points
    var bonus: Points?
    @RecordColumn(.json) var tags: [String]
    @RecordColumn(.json) var scores: [String: Int]?
    @RecordNested var place: Coordinate
    @RecordColumn(.generated) var length: Int?
    var date: Date = Date(timeIntervalSince1970: 0)
    @RecordIgnored var isSelected = false
    var shortName: String { String(name.prefix(3)) }

    static let moves = hasMany(Move.self)
}

@Record(.snakeCase)
private struct Move: Hashable {
    @RecordColumn(.primaryKey) var gameID: Int64
    @RecordColumn(.primaryKey) var moveNumber: Int
    var text: String
    static let game = belongsTo(Game.self)
}

@Record("game", .readOnly)
private struct GameTitle: Equatable {
    let id: Int64
    let title: String
}

@Record
private struct Document: Equatable {
    var id: Int64?
    var name: String
}

@Record
private struct Event: Equatable {
    @RecordColumn("rowid") var id: Int64?
    var name: String
}

/// Without `self`, the body of `id` would be an accessor.
@Record
private struct Card {
    @RecordColumn(.primaryKey) var set: String
}

@Record
private struct Term {
    @RecordColumn(.primaryKey) var `inout`: Int
    @RecordColumn(.primaryKey) var get: Int
}

@FetchedRecord
private struct GameInfo: Equatable {
    @RecordNested var game: Game
    var moveCount: Int
    @RecordAssociated var moves: [Move]
}

@FetchedRecord
private struct MoveInfo: Equatable {
    @RecordNested var move: Move
    @RecordAssociated("game") var played: Game?
}

/// Its members are public, too.
@Record
public struct PublicRecord<Value: DatabaseValueConvertible & StatementColumnConvertible> {
    /// The key.
    public var id: UUID
    /// Of any type.
    public var value: Value
}

/// Records inside of a type, with types, keys and JSON strategies of their own.
private enum Shop {
    enum Kind: String { case small, large }

    struct Code: DatabaseValueConvertible, Hashable {
        var text: String
        var databaseValue: DatabaseValue { text.databaseValue }
        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Code? {
            String.fromDatabaseValue(dbValue).map(Code.init)
        }
    }

    @Record
    struct Product {
        @RecordColumn(.primaryKey) var code: Code
        var name: String
    }

    @Record
    struct Price {
        @RecordColumn(.primaryKey) var product: Code
        @RecordColumn(.primaryKey) var kind: Kind
        var cents: Int
    }

    @Record("item")
    struct Item: Hashable {
        var id: Int64?
        var kind: Kind
        var other: Kind?
        @RecordColumn(.json) var sizes: [Int]?
        @RecordNested var times: Times
        @RecordColumn(.json) var dates: [Date]
    }

    @Record(.keyless)
    struct Times: Hashable {
        @RecordColumn(.json) var opened: [Date]

        static func databaseJSONEncoder(for column: String) -> JSONEncoder {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            return encoder
        }

        static func databaseJSONDecoder(for column: String) -> JSONDecoder {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return decoder
        }
    }
}

/// Types with the same names, for the names of tables and columns that Vigil derives when a program runs.
private enum Derived {
    struct HTTPRequest: TableRecord {}
    struct TOEFL: TableRecord {}
    struct PostalAddress: TableRecord {}
    struct X: TableRecord {}

    struct Names: Codable, EncodableRecord {
        static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
        var id = 1, teamID = 1, imageURLPath = 1, aB = 1, isHTTP2 = 1, isP2PEnabled = 1, already_snake = 1
    }
}

private enum Written {
    @Record struct HTTPRequest { var id: Int }
    @Record struct TOEFL { var id: Int }
    @Record struct PostalAddress { var id: Int }
    @Record struct X { var id: Int }

    @Record(.snakeCase)
    struct Names {
        var id = 1, teamID = 1, imageURLPath = 1, aB = 1, isHTTP2 = 1, isP2PEnabled = 1, already_snake = 1
    }
}

/// The row id is stored by the record itself, in an extension that the macro does not know.
@Record
private struct Note {
    var id: String?
    var text: String
}

extension Note {
    fileprivate mutating func willInsert(_ db: Database) throws { id = "new" }
}

final class RecordTests: XCTestCase {
    private func makeDatabase() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE game (
                        id INTEGER PRIMARY KEY, title TEXT, status TEXT, earlier TEXT, points, bonus, tags TEXT, scores TEXT,
                        latitude REAL, longitude REAL, date TEXT, other TEXT, length AS (length(title)));
                    CREATE TABLE move (
                        game_id INTEGER REFERENCES game, move_number INTEGER, text TEXT, PRIMARY KEY (game_id, move_number))
                    """)
        }
        return dbQueue
    }

    private func makeGame(_ name: String = "chess") -> Game {
        Game(
            name: name, status: .open, points: Points(count: 3), tags: ["a", "b"],
            place: Coordinate(latitude: 1, longitude: 2))
    }

    func testARecordIsSavedAndFetched() throws {
        try makeDatabase().write { db in
            var game = makeGame()
            try game.insert(db)
            XCTAssertEqual(game.id, 1)
            var expected = game
            expected.length = 5
            expected.isSelected = false
            XCTAssertEqual(try Game.fetchAll(db), [expected])
            XCTAssertEqual(try Game.fetchOne(db, id: 1), expected)
            XCTAssertEqual(
                try String.fetchOne(db, sql: "SELECT status || tags || latitude FROM game"),
                #"open["a","b"]1.0"#)

            game.status = .won
            game.earlier = .open
            game.bonus = Points(count: 1)
            game.scores = ["x": 1]
            game.name = "go"
            try game.update(db)
            expected = game
            expected.length = 2
            XCTAssertEqual(try Game.fetchAll(db), [expected])
            XCTAssertEqual(expected.shortName, "go")
            XCTAssertEqual(try game.databaseChanges(from: makeGame())["title"], "chess".databaseValue)
            XCTAssertTrue(try game.delete(db))
            XCTAssertEqual(try Game.fetchCount(db), 0)
        }
    }

    func testColumnsAreUsedInRequests() throws {
        try makeDatabase().write { db in
            for name in ["go", "chess"] {
                var game = makeGame(name)
                game.scores = ["x": name.count]
                try game.insert(db)
            }
            XCTAssertEqual(try Game.order(\.name).fetchAll(db).map(\.name), ["chess", "go"])
            XCTAssertEqual(
                try Game.filter { $0.name == "go" && $0.points == Points(count: 3) }.fetchAll(db).map(\.id),
                [1])
            XCTAssertEqual(try Game.filter { $0.scores["x"] == 5 }.fetchAll(db).map(\.id), [2])
            XCTAssertEqual(
                try Game.filter { _ in Coordinate.Columns.latitude == 1 }.fetchCount(db), 2)
            XCTAssertEqual(try GameTitle.order(\.id).fetchAll(db).map(\.title), ["go", "chess"])
        }
    }

    func testKeysOfSeveralColumns() throws {
        try makeDatabase().write { db in
            var game = makeGame()
            try game.insert(db)
            let move = Move(gameID: 1, moveNumber: 2, text: "e4")
            try move.insert(db)
            XCTAssertEqual(try Move.fetchOne(db, key: ["game_id": 1, "move_number": 2]), move)
            XCTAssertEqual(move.id, Move.ID(gameID: 1, moveNumber: 2))
            XCTAssertThrowsError(try move.insert(db))
            try move.upsert(db)
        }
    }

    func testRecordsOfAssociations() throws {
        try makeDatabase().write { db in
            var game = makeGame()
            try game.insert(db)
            game.length = 5
            let moves = [
                Move(gameID: 1, moveNumber: 1, text: "e4"), Move(gameID: 1, moveNumber: 2, text: "d4"),
            ]
            for move in moves { try move.insert(db) }
            let infos = try Game.annotated(with: Game.moves.count)
                .including(all: Game.moves.order(Column("move_number"))).asRequest(of: GameInfo.self)
                .fetchAll(db)
            XCTAssertEqual(infos, [GameInfo(game: game, moveCount: 2, moves: moves)])
            let found = try Move.including(optional: Move.game).order(\.moveNumber)
                .asRequest(of: MoveInfo.self).fetchAll(db)
            XCTAssertEqual(found, moves.map { MoveInfo(move: $0, played: game) })
        }
    }

    /// The columns of raw SQL have another order, and some are missing.
    func testRowsMayHaveOtherColumnsInAnyOrder() throws {
        try makeDatabase().read { db in
            let sql = """
                SELECT 1 AS longitude, 'x' AS unused, 2 AS latitude, '[]' AS tags, 4 AS points, 'won' AS STATUS,
                    '1970-01-01 00:00:00' AS date, 'a' AS title, 7 AS id
                """
            let game = try XCTUnwrap(Game.fetchOne(db, sql: sql))
            XCTAssertEqual(game.id, 7)
            XCTAssertEqual(game.place, Coordinate(latitude: 2, longitude: 1))
            XCTAssertEqual(game.status, .won)
            XCTAssertNil(game.bonus)
            XCTAssertNil(game.scores)
            // Copies of rows, and rows with an adapter, have the same columns.
            let row = try XCTUnwrap(Row.fetchOne(db, sql: sql))
            XCTAssertEqual(try Game(row: row), game)
            let adapter = SuffixRowAdapter(fromIndex: 1)
            XCTAssertEqual(
                try Coordinate.fetchAll(
                    db, sql: "SELECT 9 AS latitude, 1 AS latitude, 2 AS longitude", adapter: adapter),
                [Coordinate(latitude: 1, longitude: 2)])
            XCTAssertEqual(
                try Coordinate.fetchAll(
                    db,
                    sql:
                        "SELECT 1 AS longitude, 2 AS latitude UNION ALL SELECT 3, 4 UNION ALL SELECT 5, 6 ORDER BY 1"
                ).map(\.latitude), [2, 4, 6])
        }
    }

    func testWrongValuesAreErrorsThatNameTheColumn() throws {
        try makeDatabase().read { db in
            let columns =
                "1 AS id, 'a' AS title, 'open' AS status, 4 AS points, '[]' AS tags, 1 AS latitude, 2 AS longitude"
            let date = "'1970-01-01 00:00:00' AS date"
            func check(_ sql: String, _ column: String, line: UInt = #line) {
                XCTAssertThrowsError(try Game.fetchAll(db, sql: "SELECT \(sql)"), line: line) { error in
                    XCTAssertTrue("\(error)".contains(column), "\(error)", line: line)
                }
            }
            XCTAssertEqual(try Game.fetchAll(db, sql: "SELECT \(columns), \(date)").count, 1)
            check("\(columns)", "date")
            check("'never' AS status, \(columns), \(date)", "status")
            check("NULL AS status, \(columns), \(date)", "status")
            check("'x' AS earlier, \(columns), \(date)", "earlier")
            check("NULL AS points, \(columns), \(date)", "points")
            check("NULL AS tags, \(columns), \(date)", "tags")
            XCTAssertThrowsError(try Game.fetchAll(db, sql: "SELECT '{' AS tags, \(columns), \(date)")) {
                XCTAssertTrue($0 is DecodingError, "\($0)")
            }
            check("'north' AS latitude, \(columns), \(date)", "latitude")
        }
    }

    /// A change of a column that the record does not have concerns no observation of it.
    func testObservationsReadTheColumnsOfTheRecord() async throws {
        let dbQueue = try makeDatabase()
        let recorder = ValueObservation.trackingAll(GameTitle.all()).map { $0.map(\.title) }.record(
            in: dbQueue)
        var values = [try await recorder.next()]
        let game = makeGame("go")
        try await dbQueue.write { db in _ = try game.inserted(db) }
        values.append(try await recorder.next())
        try await dbQueue.write { db in try db.execute(sql: "UPDATE game SET other = 'x'") }
        try await recorder.expectNoValue()
        try await dbQueue.write { db in try db.execute(sql: "UPDATE game SET title = 'x'") }
        values.append(try await recorder.next())
        XCTAssertEqual(values, [[], ["go"], ["x"]])
    }

    func testNestedTypesAndStrategies() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, kind, other, sizes, opened, dates)")
            let day = Date(timeIntervalSince1970: 86_400)
            var item = Shop.Item(kind: .large, sizes: [1], times: .init(opened: [day]), dates: [day])
            try item.insert(db)
            XCTAssertEqual(try Shop.Item.fetchAll(db), [item])
            XCTAssertEqual(
                try Row.fetchOne(db, sql: "SELECT opened, dates FROM item"),
                ["opened": #"["1970-01-02T00:00:00Z"]"#, "dates": "[86400000]"])
            XCTAssertEqual(try item.databaseDictionary["opened"], #"["1970-01-02T00:00:00Z"]"#.databaseValue)
        }
    }

    func testTypesOfKeysMayBeNested() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE product (code TEXT PRIMARY KEY, name TEXT);
                    CREATE TABLE price (product TEXT, kind TEXT, cents INTEGER, PRIMARY KEY (product, kind))
                    """)
            let code = Shop.Code(text: "a")
            try Shop.Product(code: code, name: "Chair").insert(db)
            try Shop.Price(product: code, kind: .large, cents: 100).insert(db)
            XCTAssertEqual(try Shop.Product.fetchOne(db, id: code)?.name, "Chair")
            XCTAssertEqual(
                try Shop.Price.fetchAll(db).map(\.id), [Shop.Price.ID(product: code, kind: .large)])
        }
    }

    func testInsertionChangesARecordWithAnOptionalKey() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE note (id TEXT PRIMARY KEY, text)")
            var note = Note(text: "a")
            try note.insert(db)
            XCTAssertEqual(note.id, "new")
            XCTAssertEqual(try Note.fetchOne(db, id: "new")?.text, "a")
        }
    }

    /// A table with another kind of key, as the app or another program made it.
    func testAKeyThatIsNoRowIDKeepsItsValue() throws {
        for definition in [
            "(id INT PRIMARY KEY, name)", "(id INTEGER PRIMARY KEY, name) WITHOUT ROWID",
            "(number INTEGER PRIMARY KEY, name, id INT UNIQUE)",
        ] {
            try DatabaseQueue().write { db in
                try db.execute(sql: "CREATE TABLE document \(definition)")
                var document = Document(id: 42, name: "a")
                try document.insert(db)
                XCTAssertEqual(document.id, 42, definition)
                XCTAssertEqual(try Document.fetchAll(db), [document], definition)
            }
        }
    }

    func testATableWithoutADeclaredKeyHasARowID() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE event (name)")
            var event = Event(name: "a")
            try event.insert(db)
            XCTAssertEqual(event.id, 1)
            event.name = "b"
            try event.save(db)
            XCTAssertEqual(try Event.fetchAll(db), [event])
            // The column is not the row id.
            try db.execute(sql: "DROP TABLE event; CREATE TABLE event (rowid INT PRIMARY KEY, name)")
            event.id = 42
            try event.insert(db)
            XCTAssertEqual(event.id, 42)
        }
    }

    func testKeysMayHaveTheNamesOfKeywords() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE card ("set" TEXT PRIMARY KEY);
                    CREATE TABLE term ("inout" INTEGER, "get" INTEGER, PRIMARY KEY ("inout", "get"))
                    """)
            try Card(set: "a").insert(db)
            try Term(`inout`: 1, get: 2).insert(db)
            XCTAssertEqual(try Card.fetchOne(db, id: "a")?.id, "a")
            XCTAssertEqual(try Term.fetchAll(db).map(\.id), [Term.ID(`inout`: 1, get: 2)])
        }
    }

    func testNamesAreTheOnesThatVigilDerives() throws {
        XCTAssertEqual(Written.HTTPRequest.databaseTableName, Derived.HTTPRequest.databaseTableName)
        XCTAssertEqual(Written.TOEFL.databaseTableName, Derived.TOEFL.databaseTableName)
        XCTAssertEqual(Written.PostalAddress.databaseTableName, Derived.PostalAddress.databaseTableName)
        XCTAssertEqual(Written.X.databaseTableName, Derived.X.databaseTableName)
        XCTAssertEqual(try Written.Names().databaseDictionary, try Derived.Names().databaseDictionary)
    }

    func testGenericRecords() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE publicRecord (id BLOB PRIMARY KEY, value)")
            let record = PublicRecord(id: UUID(), value: "a")
            try record.insert(db)
            XCTAssertEqual(try PublicRecord<String>.fetchOne(db, id: record.id)?.value, "a")
        }
    }
}
