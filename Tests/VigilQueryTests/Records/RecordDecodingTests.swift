import Foundation
import Vigil
import XCTest

private enum Color: String, Decodable { case red, blue }

private struct Percentage: DatabaseValueConvertible, Decodable, Equatable {
    var value: Int
    var databaseValue: DatabaseValue { value.databaseValue }
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Percentage? {
        Int.fromDatabaseValue(dbValue).map { Percentage(value: $0 * 10) }
    }
}

private struct Address: Codable, Equatable { var street: String, numbers: [Int] }

private struct Player: Decodable, FetchableRecord {
    var id: Int64
    var name: String
    var score: Double?
    var color: Color
    var rate: Percentage
    var address: Address?
    var tags: [String]
    var born: Date
    var url: URL?
    var isActive: Bool
}

private struct ColumnKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

private struct Book: Decodable, FetchableRecord, Hashable { var id: Int, title: String }
private struct Author: Decodable, Hashable { var id: Int, name: String }
private struct BookInfo: Decodable, FetchableRecord, Hashable { var book: Book, author: Author? }

final class RecordDecodingTests: XCTestCase {
    private func read<T>(_ value: (Database) throws -> T) throws -> T { try DatabaseQueue().read(value) }

    func testADecodableRecordReadsItsColumnsByCodingKey() throws {
        let player = try read { db in
            try Player.fetchOne(
                db,
                sql: """
                    SELECT 1 AS isActive, 'https://a.b/' AS url, '2024-02-29 17:30:00' AS born, '["x","y"]' AS tags,
                      '{"street":"S","numbers":[1,2]}' AS address, 5 AS rate, 'blue' AS color, 1.5 AS SCORE,
                      'Arthur' AS name, 7 AS id
                    """)
        }
        XCTAssertEqual(player?.id, 7)
        XCTAssertEqual(player?.name, "Arthur")
        XCTAssertEqual(player?.score, 1.5)
        XCTAssertEqual(player?.color, .blue)
        XCTAssertEqual(player?.rate, Percentage(value: 50))
        XCTAssertEqual(player?.address, Address(street: "S", numbers: [1, 2]))
        XCTAssertEqual(player?.tags, ["x", "y"])
        XCTAssertEqual(player?.born, Date(timeIntervalSince1970: 1_709_227_800))
        XCTAssertEqual(player?.url, URL(string: "https://a.b/"))
        XCTAssertEqual(player?.isActive, true)
    }

    func testNullAndMissingColumnsAreNil() throws {
        struct Optionals: Decodable, FetchableRecord {
            var a: Int?, b: Address?, c: Date?, d: Int?, e: Address?, f: Date?
        }
        let record = try read { try Optionals.fetchOne($0, sql: "SELECT NULL AS a, NULL AS b, NULL AS c") }
        XCTAssertNotNil(record)
        XCTAssertNil(record?.a)
        XCTAssertNil(record?.b)
        XCTAssertNil(record?.c)
        XCTAssertNil(record?.d)
        XCTAssertNil(record?.e)
        XCTAssertNil(record?.f)
    }

    func testDecodingErrorsNameTheColumn() throws {
        try read { db in
            for (sql, column) in [
                ("SELECT 'x' AS id, 't' AS title", "id"), ("SELECT NULL AS id, 't' AS title", "id"),
                ("SELECT 1 AS id", "title"),
            ] {
                XCTAssertThrowsError(try Book.fetchAll(db, sql: sql)) { error in
                    XCTAssert(error is RowDecodingError)
                    XCTAssert("\(error)".contains("\"\(column)\""), "\(error)")
                }
            }
        }
    }

    func testScopesAreDecodedAndTheFirstRecordHasTheWholeRow() throws {
        let sql = """
            SELECT 1 AS id, 'A' AS title, 2 AS id, 'Melville' AS name
            UNION ALL SELECT 3, 'B', NULL, NULL UNION ALL SELECT 4, 'C', 5, 'Borges'
            """
        let adapter = ScopeAdapter(["author": SuffixRowAdapter(fromIndex: 2)])
        let infos = try read { try BookInfo.fetchAll($0, sql: sql, adapter: adapter) }
        XCTAssertEqual(
            infos,
            [
                BookInfo(book: Book(id: 1, title: "A"), author: Author(id: 2, name: "Melville")),
                BookInfo(book: Book(id: 3, title: "B"), author: nil),
                BookInfo(book: Book(id: 4, title: "C"), author: Author(id: 5, name: "Borges")),
            ])
    }

    func testARequiredRecordWithoutScopeIsNotTakenFromTheColumnsOfAnother() throws {
        struct Two: Decodable, FetchableRecord { var book: Book, other: Book }
        XCTAssertThrowsError(try read { try Two.fetchOne($0, sql: "SELECT 1 AS id, 'A' AS title") }) {
            error in
            assertKeyNotFound(error, ["other"], "No such key: book or other")
        }
    }

    func testAMissingKeyIsAStandardErrorThatNamesAllCandidates() throws {
        struct Empty: Decodable {}
        struct Three: Decodable, FetchableRecord { var a: Empty, b: Empty, c: Empty }
        for (present, missing) in [("a", ["b", "c"]), ("b", ["a", "c"]), ("c", ["a", "b"])] {
            let adapter = ScopeAdapter([present: EmptyRowAdapter()])
            XCTAssertThrowsError(try read { try Three.fetchAll($0, sql: "SELECT NULL", adapter: adapter) }) {
                assertKeyNotFound($0, missing, "No such key: \(missing[0]) or \(missing[1])")
            }
        }
        struct Two: Decodable, FetchableRecord { var a: Empty, b: Empty? }
        XCTAssertNil(try Two(row: [:]).b)
    }

    func testAMissingArrayOfAssociatedRowsIsAStandardError() throws {
        struct Shelf: Decodable, FetchableRecord { var id: Int, books: [Book] }
        let row: Row = ["id": 3]
        XCTAssertThrowsError(try Shelf(row: row)) {
            assertKeyNotFound($0, ["books"], "No available prefetched rows")
        }
        row.prefetchedRows.setRows([["id": 1]], forKeyPath: ["boards"])
        row.prefetchedRows.setRows([["id": 1]], forKeyPath: ["authors"])
        XCTAssertThrowsError(try Shelf(row: row)) {
            assertKeyNotFound(
                $0, ["books"], #"Available keys for prefetched rows: ["authors", "boards"]"#)
        }
    }

    func testAMissingNestedContainerIsAStandardError() throws {
        enum Key: CodingKey { case place }
        struct Nested: Decodable, FetchableRecord {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                _ = try container.nestedContainer(keyedBy: Key.self, forKey: .place)
            }
        }
        struct List: Decodable, FetchableRecord {
            init(from decoder: any Decoder) throws {
                _ = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .place)
            }
        }
        struct Elements: Decodable, FetchableRecord {
            init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
        }
        let types: [any FetchableRecord.Type] = [Nested.self, List.self, Elements.self]
        for type in types {
            XCTAssertThrowsError(try type.init(row: ["id": 1])) { error in
                guard case DecodingError.typeMismatch = error else { return XCTFail("\(type): \(error)") }
            }
        }
    }

    private func assertKeyNotFound(
        _ error: any Error, _ keys: [String], _ description: String, line: UInt = #line
    ) {
        guard case DecodingError.keyNotFound(let key, let context) = error else {
            return XCTFail("\(error)", line: line)
        }
        XCTAssertTrue(keys.contains(key.stringValue), key.stringValue, line: line)
        XCTAssertEqual(context.debugDescription, description, line: line)
        XCTAssertTrue(context.codingPath.isEmpty, line: line)
    }

    func testKeysDecodedInAnyOrderFindTheirColumns() throws {
        struct Fickle: Decodable, FetchableRecord {
            enum CodingKeys: CodingKey { case kind, a, b }
            let value: Int
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                if try container.decode(Int.self, forKey: .kind) == 1 {
                    value = try container.decode(Int.self, forKey: .a)
                } else {
                    value =
                        try container.decode(Int.self, forKey: .b) - container.decode(Int.self, forKey: .a)
                }
            }
        }
        let values = try read {
            try Fickle.fetchAll(
                $0,
                sql: "SELECT 1 AS kind, 10 AS a, 30 AS b UNION ALL SELECT 2, 10, 30 UNION ALL SELECT 1, 11, 3"
            )
        }
        XCTAssertEqual(values.map(\.value), [10, 20, 11])
    }

    func testTwoRecordTypesReadTheSameRows() throws {
        struct Both: FetchableRecord {
            let book: Book, snake: Snake
            init(row: Row) throws { (book, snake) = try (Book(row: row), Snake(row: row)) }
        }
        struct Snake: Decodable, FetchableRecord {
            static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
                .convertFromSnakeCase
            }
            let _teamId_: Int
            let title: String
        }
        let records = try read {
            try Both.fetchAll(
                $0, sql: "SELECT 1 AS id, 'A' AS title, 8 AS _team_id_ UNION ALL SELECT 2, 'B', 9")
        }
        XCTAssertEqual(records.map(\.book), [Book(id: 1, title: "A"), Book(id: 2, title: "B")])
        XCTAssertEqual(records.map(\.snake._teamId_), [8, 9])
        XCTAssertEqual(records.map(\.snake.title), ["A", "B"])
    }

    func testAKeyOfNoColumnIsMissingEvenIfAColumnHasItsName() throws {
        struct Prefixed: Decodable, FetchableRecord {
            static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
                .custom { ColumnKey(stringValue: String($0.dropFirst())) }
            }
            var id: Int?, name: String?, born: Date?
        }
        struct Snake: Decodable, FetchableRecord {
            static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
                .convertFromSnakeCase
            }
            enum CodingKeys: String, CodingKey { case teamID = "team_id" }
            var teamID: Int
        }
        try read { db in
            let records = try Prefixed.fetchAll(
                db, sql: "SELECT 1 AS id, 'A' AS _name, 0 AS born UNION ALL SELECT 2, 'B', 1")
            XCTAssertEqual(records.map(\.id), [nil, nil])
            XCTAssertEqual(records.map(\.name), ["A", "B"])
            XCTAssertEqual(records.map(\.born), [nil, nil])
            XCTAssertThrowsError(try Snake.fetchOne(db, sql: "SELECT 1 AS team_id"))
        }
    }

    func testStrategiesReadDatesDataAndUserInfo() throws {
        struct Custom: Decodable, FetchableRecord {
            static let suffix = CodingUserInfoKey(rawValue: "suffix")
            static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { suffix.map { [$0: "!"] } ?? [:] }
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
                column == "a" ? .millisecondsSince1970 : .iso8601
            }
            static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
                .custom { _ in Data([7]) }
            }
            enum CodingKeys: CodingKey { case a, b, data, none }
            let a: Date, b: Date, data: Data, none: Data?, info: String?
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                a = try container.decode(Date.self, forKey: .a)
                b = try container.decode(Date.self, forKey: .b)
                data = try container.decode(Data.self, forKey: .data)
                none = try container.decodeIfPresent(Data.self, forKey: .none)
                info = Self.suffix.flatMap { decoder.userInfo[$0] as? String }
            }
        }
        let record = try read {
            try Custom.fetchOne(
                $0, sql: "SELECT 1500 AS a, '1970-01-01T00:00:02Z' AS b, x'00' AS data, NULL AS none")
        }
        XCTAssertEqual(record?.a, Date(timeIntervalSince1970: 1.5))
        XCTAssertEqual(record?.b, Date(timeIntervalSince1970: 2))
        XCTAssertEqual(record?.data, Data([7]))
        XCTAssertNotNil(record)
        XCTAssertNil(record?.none)
        XCTAssertEqual(record?.info, "!")
    }

    func testPrefetchedRowsAreDecodedAsRecordsAndValues() throws {
        struct Shelf: Decodable, FetchableRecord {
            var id: Int, books: [Book], authors: Set<Author>, sizes: [Int]?
        }
        let row: Row = ["id": 3]
        row.prefetchedRows.setRows(
            [["id": 1, "title": "A"], ["id": 2, "title": "B"]], forKeyPath: ["books"])
        row.prefetchedRows.setRows([["id": 1, "name": "Melville"]], forKeyPath: ["authors"])
        row.prefetchedRows.setRows([["size": 10], ["size": 20]], forKeyPath: ["sizes"])
        let shelf = try Shelf(row: row)
        XCTAssertEqual(shelf.id, 3)
        XCTAssertEqual(shelf.books, [Book(id: 1, title: "A"), Book(id: 2, title: "B")])
        XCTAssertEqual(shelf.authors, [Author(id: 1, name: "Melville")])
        XCTAssertEqual(shelf.sizes, [10, 20])
        XCTAssertNil(try Shelf(row: ["id": 3, "books": "[]", "authors": "[]"]).sizes)
    }

    /// A label without required coding keys could also be decoded from the row.
    func testPrefetchedValuesAreDecodedFromTheirOnlyColumn() throws {
        struct Label: Codable, Hashable, DatabaseValueConvertible {
            var text: String?
        }
        struct Shelf: Decodable, FetchableRecord {
            var labels: [Label], unique: Set<Label>, optionals: [Label?], rows: [Label]
        }
        let row: Row = ["id": 3]
        let stored: Row = ["info": #"{"text":"a"}"#, "grdb_shelfId": 3]
        row.prefetchedRows.setRows([stored, ["info": #"{"text":"b"}"#]], forKeyPath: ["labels"])
        row.prefetchedRows.setRows([stored], forKeyPath: ["unique"])
        row.prefetchedRows.setRows([stored, ["info": nil]], forKeyPath: ["optionals"])
        row.prefetchedRows.setRows([["id": 1, "text": "c"], ["text": "d"]], forKeyPath: ["rows"])
        let shelf = try Shelf(row: row)
        XCTAssertEqual(shelf.labels.map(\.text), ["a", "b"])
        XCTAssertEqual(shelf.unique.map(\.text), ["a"])
        XCTAssertEqual(shelf.optionals, [Label(text: "a"), nil])
        XCTAssertEqual(shelf.rows.map(\.text), ["c", "d"])
    }

    func testARecordCanDecodeItselfAndReadMore() throws {
        struct Ranked: Decodable, FetchableRecord {
            enum CodingKeys: CodingKey { case id }
            var id: Int
            var rank = 0
            init(row: Row) throws {
                self = try FetchableRecordDecoder().decode(Ranked.self, from: row)
                rank = row["rank"]
            }
        }
        let record = try Ranked(row: ["id": 1, "rank": 5])
        XCTAssertEqual(record.id, 1)
        XCTAssertEqual(record.rank, 5)
    }

    func testPrefetchedRecordsAreDecodedByTheirInitializer() throws {
        struct Ranked: Codable, Hashable, FetchableRecord {
            var id: Int
            var rank = 0
            enum CodingKeys: CodingKey { case id }
            init(row: Row) throws {
                self = try FetchableRecordDecoder().decode(Ranked.self, from: row)
                rank = row["rank"]
            }
        }
        struct Nested: Decodable, FetchableRecord {
            var inner: [Ranked]
        }
        struct Lists: Decodable, FetchableRecord {
            var array: [Ranked], set: Set<Ranked>, optional: [Ranked]?, optionals: [Ranked?], nested: [Nested]
        }
        let row: Row = ["id": 3]
        for key in ["array", "set", "optional", "optionals"] {
            row.prefetchedRows.setRows([["id": 1, "rank": 5], ["id": 2, "rank": 6]], forKeyPath: [key])
        }
        let nested: Row = ["id": 3]
        nested.prefetchedRows.setRows([["id": 1, "rank": 5]], forKeyPath: ["inner"])
        row.prefetchedRows.setRows([nested], forKeyPath: ["nested"])
        let lists = try Lists(row: row)
        XCTAssertEqual(lists.array.map(\.rank), [5, 6])
        XCTAssertEqual(lists.set.map(\.rank).sorted(), [5, 6])
        XCTAssertEqual(lists.optional?.map(\.rank), [5, 6])
        XCTAssertEqual(lists.optionals.map(\.?.rank), [5, 6])
        XCTAssertEqual(lists.nested.map { $0.inner.map(\.rank) }, [[5]])
    }

    func testAScopeOfNULLsHasNoRecord() throws {
        struct Team: Codable, FetchableRecord {
            var id: Int64?
            var name: String?
        }
        try DatabaseQueue().read { db in
            let adapter = ScopeAdapter(
                base: RangeRowAdapter(0..<1), scopes: ["team": SuffixRowAdapter(fromIndex: 1)])
            let sql = "SELECT 1 AS id, NULL AS id, NULL AS name"
            let row = try XCTUnwrap(Row.fetchOne(db, sql: sql, adapter: adapter))
            XCTAssertThrowsError(try row.decode(Team.self, forKey: "team")) { error in
                XCTAssertTrue(error is RowDecodingError, "\(error)")
            }
            XCTAssertNil(try row.decodeIfPresent(Team.self, forKey: "team"))
        }
    }

    /// The values of a scope have coding keys of their own, which the strategy of the record may not know.
    func testAValueOfAScopeHasColumnsNamedByItsKeys() throws {
        struct Author: Decodable {
            enum CodingKeys: String, CodingKey {
                case id
                case fullName = "full_name"
                case birthYear
            }
            var id: Int
            var fullName: String?
            var birthYear: Int?
        }
        struct Book: Decodable, FetchableRecord {
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
            var bookId: Int
            var author: Author
        }
        try DatabaseQueue().read { db in
            let adapter = ScopeAdapter(
                base: RangeRowAdapter(0..<1), scopes: ["author": SuffixRowAdapter(fromIndex: 1)])
            let sql = "SELECT 1 AS book_id, 2 AS id, 'n' AS full_name, 1900 AS birthYear"
            let books = try Book.fetchAll(db, sql: "\(sql) UNION ALL \(sql)", adapter: adapter)
            XCTAssertEqual(books.map(\.author.fullName), ["n", "n"])
            XCTAssertEqual(books.map(\.author.birthYear), [1900, 1900])
        }
        struct Shelf: Decodable, FetchableRecord {
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
            var shelfId: Int
            var authors: [Author]
        }
        let row: Row = ["shelf_id": 1]
        row.prefetchedRows.setRows(
            [["id": 2, "full_name": "n", "birthYear": 1900]], forKeyPath: ["authors"])
        let shelf = try Shelf(row: row)
        XCTAssertEqual(shelf.authors.map(\.fullName), ["n"])
        XCTAssertEqual(shelf.authors.map(\.birthYear), [1900])
    }

    func testColumnsAreDecodedFromPragmas() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a TEXT NOT NULL DEFAULT 'x', b, PRIMARY KEY (b, a))")
            let columns = try ColumnInfo.fetchAll(db, sql: "PRAGMA main.table_info(t)")
            XCTAssertEqual(columns.map(\.name), ["a", "b"])
            XCTAssertEqual(columns.map(\.type), ["TEXT", ""])
            XCTAssertEqual(columns.map(\.isNotNull), [true, false])
            XCTAssertEqual(columns.map(\.defaultValueSQL), ["'x'", nil])
            XCTAssertEqual(columns.map(\.primaryKeyIndex), [2, 1])
            XCTAssertThrowsError(try ColumnInfo.fetchAll(db, sql: "SELECT 1 AS name")) { error in
                XCTAssertTrue(error is RowDecodingError, "\(error)")
            }
        }
    }
}
