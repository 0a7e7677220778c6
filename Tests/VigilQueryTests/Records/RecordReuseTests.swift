import Foundation
import Vigil
import XCTest

// A cursor reuses a row, a decoder and a keyed container for all its records, and remembers the columns of
// the keys.

private struct Player: Codable, FetchableRecord, Equatable {
    var id: Int64
    var name: String
    var score: Double
    var nickname: String?
}

private struct Identity: Decodable, FetchableRecord { var id: Int64 }

private struct City: Decodable, FetchableRecord, Equatable {
    var theNameOfTheCity: String
    var theAreaOfTheCity: Double?
}

private struct Located: Decodable, FetchableRecord {
    var id: Int64
    var city: City
}

private class Identified: Decodable {
    let id: Int64

    private enum CodingKeys: String, CodingKey { case id }

    required init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: CodingKeys.self).decode(Int64.self, forKey: .id)
    }
}

private final class Named: Identified, FetchableRecord {
    let name: String

    private enum CodingKeys: String, CodingKey { case name }

    required init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        try super.init(from: decoder)
    }
}

/// A node that fetches its children while it is decoded.
private struct Node: Decodable, FetchableRecord, Equatable {
    var id: Int64
    var name: String
    var children: [Node]

    // Guard: set and read by one access at a time.
    nonisolated(unsafe) static var db: Database?

    enum CodingKeys: String, CodingKey { case id, name }

    init(id: Int64, name: String, children: [Node] = []) {
        self.id = id
        self.name = name
        self.children = children
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int64.self, forKey: .id)
        let db = try XCTUnwrap(Self.db)
        children = try Node.fetchAll(
            db, sql: "SELECT id, name FROM node WHERE parent = ? ORDER BY id", arguments: [id])
        // The row of this node is still the current one.
        name = try container.decode(String.self, forKey: .name)
    }
}

/// Requests its keys in an order that depends on the row.
private struct Unordered: Decodable, FetchableRecord, Equatable {
    var a: Int, b: Int?, c: String

    enum CodingKeys: String, CodingKey { case a, b, c, missing }

    init(a: Int, b: Int?, c: String) { (self.a, self.b, self.c) = (a, b, c) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        a = try container.decode(Int.self, forKey: .a)
        if a % 2 == 0 {
            c = try container.decode(String.self, forKey: .c)
            b = try container.decodeIfPresent(Int.self, forKey: .b)
        } else {
            let missing = try container.decodeIfPresent(Int.self, forKey: .missing)
            b = try container.decodeIfPresent(Int.self, forKey: .b) ?? missing
            c = try container.decode(String.self, forKey: .c)
        }
    }
}

/// Decodes its parts from its own decoder, some of them twice.
private struct Parts: Decodable, FetchableRecord {
    struct First: Decodable, Equatable { var id: Int64, name: String }
    struct Second: Decodable, Equatable { var score: Double, id: Int64 }

    var first: First, again: First, second: Second, player: Player, name: String

    enum CodingKeys: String, CodingKey { case name }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        first = try First(from: decoder)
        second = try Second(from: decoder)
        again = try First(from: decoder)
        player = try Player(from: decoder)
        name = try container.decode(String.self, forKey: .name)
    }
}

/// Keeps its container, to decode later.
private struct Lazy: Decodable, FetchableRecord {
    var container: KeyedDecodingContainer<CodingKeys>

    enum CodingKeys: String, CodingKey { case id, name }

    init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: CodingKeys.self) }
}

final class RecordReuseTests: XCTestCase {
    private static let selectPlayers = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        SELECT i AS id, 'player number ' || i AS name, i * 1.5 AS score, NULL AS nickname FROM n
        """

    private func player(_ id: Int64) -> Player {
        Player(id: id, name: "player number \(id)", score: Double(id) * 1.5)
    }

    func testColumnsOfOneTypeAreFoundInStatementsWithDifferentColumns() throws {
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                let one = try Player.fetchCursor(db, sql: Self.selectPlayers)
                let two = try Player.fetchCursor(
                    db,
                    sql:
                        "SELECT nickname, score, 0 AS zero, name, id FROM (\(Self.selectPlayers)) ORDER BY id DESC"
                )
                for id in 1...100 as ClosedRange<Int64> {
                    XCTAssertEqual(try one.next(), player(id))
                    XCTAssertEqual(try two.next(), player(101 - id))
                }
                XCTAssertNil(try one.next())
                XCTAssertNil(try two.next())
            }
        }
    }

    func testColumnsAreFoundAfterTheSchemaChanged() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE city(theNameOfTheCity TEXT, theAreaOfTheCity REAL);
                        INSERT INTO city VALUES ('Arles', 1), ('Breda', 2);
                        """)
                let statement = try db.makeStatement(sql: "SELECT * FROM city ORDER BY theNameOfTheCity")
                let cities = [
                    City(theNameOfTheCity: "Arles", theAreaOfTheCity: 1),
                    City(theNameOfTheCity: "Breda", theAreaOfTheCity: 2),
                ]
                XCTAssertEqual(try City.fetchAll(statement), cities)
                try db.execute(
                    sql: """
                        DROP TABLE city;
                        CREATE TABLE city(other TEXT, theAreaOfTheCity REAL, theNameOfTheCity TEXT);
                        INSERT INTO city VALUES ('x', 1, 'Arles'), ('y', 2, 'Breda');
                        """)
                XCTAssertEqual(try City.fetchAll(statement), cities)
                try db.execute(
                    sql: """
                        DROP TABLE city;
                        CREATE TABLE city(other TEXT, theNameOfTheCity TEXT);
                        INSERT INTO city VALUES ('x', 'Arles'), ('y', 'Breda');
                        """)
                XCTAssertEqual(
                    try City.fetchAll(statement).map(\.theAreaOfTheCity), [nil, nil])
            }
        }
    }

    func testTheLeftmostOfColumnsWithOneNameIsReadInEachRow() throws {
        try onEachQueue { dbQueue in
            let players = try dbQueue.read { db in
                try Player.fetchAll(
                    db,
                    sql: """
                        SELECT 1 AS id, 'a' AS name, 2 AS id, 0.5 AS score, 'b' AS NAME
                        UNION ALL SELECT 3, 'c', 4, 1.5, 'd'
                        """)
            }
            XCTAssertEqual(
                players, [Player(id: 1, name: "a", score: 0.5), Player(id: 3, name: "c", score: 1.5)])
        }
    }

    func testKeysMayBeRequestedInAnotherOrderForEachRow() throws {
        try onEachQueue { dbQueue in
            let records = try dbQueue.read { db in
                try Unordered.fetchAll(
                    db,
                    sql: """
                        SELECT 1 AS a, 10 AS b, 'x' AS c UNION ALL SELECT 2, NULL, 'y' UNION ALL SELECT 4, 40, 'z'
                        UNION ALL SELECT 3, 30, 'u' UNION ALL SELECT 5, NULL, 'v'
                        """)
            }
            XCTAssertEqual(
                records,
                [
                    Unordered(a: 1, b: 10, c: "x"), Unordered(a: 2, b: nil, c: "y"),
                    Unordered(a: 4, b: 40, c: "z"), Unordered(a: 3, b: 30, c: "u"),
                    Unordered(a: 5, b: nil, c: "v"),
                ])
        }
    }

    func testErrorsOfLaterRowsNameTheColumn() throws {
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                let players = try Player.fetchCursor(
                    db,
                    sql: """
                        SELECT 1 AS id, 'a' AS name, 1.0 AS score UNION ALL SELECT 2, 'b', 2.0
                        UNION ALL SELECT 3, NULL, 3.0 UNION ALL SELECT 4, 'd', 4.0
                        """)
                XCTAssertEqual(try players.next()?.name, "a")
                XCTAssertEqual(try players.next()?.name, "b")
                XCTAssertThrowsError(try players.next()) { error in
                    XCTAssertTrue("\(error)".contains("column: \"name\", column index: 1"), "\(error)")
                }
                XCTAssertEqual(try players.next(), Player(id: 4, name: "d", score: 4))
                let incomplete = try Player.fetchCursor(
                    db, sql: "SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, 'b'")
                for _ in 1...2 {
                    XCTAssertThrowsError(try incomplete.next()) { error in
                        XCTAssertEqual("\(error)".prefix(25), "column not found: \"score\"")
                    }
                }
            }
        }
    }

    func testARecordCanFetchRecordsOfItsTypeWhileItIsDecoded() throws {
        try onEachQueue { dbQueue in
            let nodes = try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE node(id INTEGER PRIMARY KEY, parent INTEGER, name TEXT);
                        INSERT INTO node
                          VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 1, 'c'), (4, 3, 'd'), (5, NULL, 'e');
                        """)
                Node.db = db
                defer { Node.db = nil }
                return try Node.fetchAll(
                    db, sql: "SELECT id, name FROM node WHERE parent IS NULL ORDER BY id")
            }
            XCTAssertEqual(
                nodes,
                [
                    Node(
                        id: 1, name: "a",
                        children: [
                            Node(id: 2, name: "b"),
                            Node(id: 3, name: "c", children: [Node(id: 4, name: "d")]),
                        ]),
                    Node(id: 5, name: "e"),
                ])
        }
    }

    func testOneDecoderDecodesSeveralTypesFromEachRow() throws {
        try onEachQueue { dbQueue in
            let parts = try dbQueue.read { try Parts.fetchAll($0, sql: Self.selectPlayers) }
            XCTAssertEqual(parts.count, 100)
            for (id, parts) in zip(Int64(1)..., parts) {
                XCTAssertEqual(parts.player, player(id))
                XCTAssertEqual(parts.first, Parts.First(id: id, name: parts.player.name))
                XCTAssertEqual(parts.again, parts.first)
                XCTAssertEqual(parts.second, Parts.Second(score: parts.player.score, id: id))
                XCTAssertEqual(parts.name, parts.player.name)
            }
        }
    }

    func testRecordsAreDecodedOnSeveralThreads() throws {
        try withEachBackend { configuration in
            let directory = try TemporaryDirectory()
            let dbPool = try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration)
            let rows = try dbPool.read { try Row.fetchAll($0, sql: Self.selectPlayers) }
            let expected = (1...100).map { self.player($0) }
            DispatchQueue.concurrentPerform(iterations: 16) { number in
                do {
                    if number % 2 == 0 {
                        let fetched = try dbPool.read { try Player.fetchAll($0, sql: Self.selectPlayers) }
                        XCTAssertEqual(fetched, expected)
                    } else {
                        // All threads decode the same rows.
                        XCTAssertEqual(try rows.map(Player.init(row:)), expected)
                    }
                } catch {
                    XCTFail("\(error)")
                }
            }
        }
    }

    func testAContainerOfAnIndependentRowDecodesItsRow() throws {
        try onEachQueue { dbQueue in
            let records = try dbQueue.read { db in
                try Row.fetchAll(db, sql: Self.selectPlayers).map(Lazy.init(row:))
            }
            for (id, record) in zip(Int64(1)..., records) {
                XCTAssertEqual(try record.container.decode(Int64.self, forKey: .id), id)
                XCTAssertEqual(try record.container.decode(String.self, forKey: .name), player(id).name)
            }
        }
    }

    func testASubclassAndItsSuperclassDecodeEachRow() throws {
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                let sql =
                    "SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, 'b' UNION ALL SELECT 3, 'c' ORDER BY 1"
                let rows = try Row.fetchCursor(db, sql: sql)
                var decoded: [String] = []
                while let row = try rows.next() {
                    let named = try Named(row: row)
                    decoded.append("\(named.id) \(named.name)")
                }
                XCTAssertEqual(decoded, ["1 a", "2 b", "3 c"])
            }
        }
    }

    func testTheRowsOfScopesAreDecoded() throws {
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                let adapter = ScopeAdapter(["city": SuffixRowAdapter(fromIndex: 1)])
                let cities = try Located.fetchAll(
                    db,
                    sql: """
                        SELECT 1 AS id, 'A' AS theNameOfTheCity, 1.5 AS theAreaOfTheCity
                        UNION ALL SELECT 2, 'B', NULL UNION ALL SELECT 3, 'C', 2.5 ORDER BY 1
                        """, adapter: adapter)
                XCTAssertEqual(cities.map(\.id), [1, 2, 3])
                XCTAssertEqual(cities.map(\.city.theNameOfTheCity), ["A", "B", "C"])
                XCTAssertEqual(cities.map(\.city.theAreaOfTheCity), [1.5, nil, 2.5])
            }
        }
    }

    func testTheRowOfACursorIsReleasedWithTheCursor() throws {
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                weak var row: Row?
                do {
                    let rows = try Row.fetchCursor(db, sql: Self.selectPlayers)
                    while let next = try rows.next() {
                        row = next
                        let player = try Player(row: next)
                        XCTAssertEqual(try Parts(row: next).name, player.name)
                    }
                    XCTAssertNotNil(row)
                }
                XCTAssertNil(row)
            }
        }
    }

    func testARowThatOutlivesItsCursorIsReleased() throws {
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                weak var released: Row?
                do {
                    var rows: RowCursor? = try Row.fetchCursor(db, sql: Self.selectPlayers)
                    let row = try XCTUnwrap(rows?.next())
                    released = row
                    _ = try Player(row: row)
                    rows = nil
                    // The values of the row are not valid, but decoding it must not make it retain itself.
                    for _ in 1...3 { _ = try? Identity(row: row) }
                }
                XCTAssertNil(released)
            }
        }
    }
}
