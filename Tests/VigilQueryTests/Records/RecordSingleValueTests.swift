import Foundation
import Vigil
import XCTest

private struct Book: Decodable, FetchableRecord, Equatable { var id: Int, title: String }

/// A record that does not decode its own keys.
private struct Renamed: Decodable, FetchableRecord, Equatable {
    var name: String
    init(name: String) { self.name = name }
    init(row: Row) { name = row["title"] }
}

private struct Author: Decodable, Equatable { var id: Int, name: String }

/// Decodes a key of its own, and another type from the same row.
private struct Annotated<Value: Decodable>: Decodable, FetchableRecord {
    enum CodingKeys: CodingKey { case note }
    var value: Value
    var note: String?
    init(from decoder: any Decoder) throws {
        note = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .note)
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}
extension Annotated: Equatable where Value: Equatable {}

private struct Boxed<Value: Decodable>: Decodable, FetchableRecord {
    var value: Value
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
}
extension Boxed: Equatable where Value: Equatable {}

/// Decodes another type from the same row, without a container of its own.
private struct Forwarding<Value: Decodable>: Decodable, FetchableRecord {
    var value: Value
    init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}

private enum Color: String, Decodable, FetchableRecord { case red, blue }

/// Decodes optionals with `decode`, as property wrappers and generic types do.
private struct Held<Value: Decodable>: Decodable, FetchableRecord {
    enum CodingKeys: CodingKey { case value }
    var value: Value
    init(from decoder: any Decoder) throws {
        value = try decoder.container(keyedBy: CodingKeys.self).decode(Value.self, forKey: .value)
    }
}

final class RecordSingleValueTests: XCTestCase {
    private func fetch<T: FetchableRecord>(
        _ type: T.Type, _ sql: String, adapter: (any RowAdapter)? = nil
    ) throws -> [T] {
        try DatabaseQueue().read { try T.fetchAll($0, sql: sql, adapter: adapter) }
    }

    private let rows = "SELECT 1 AS id, 'A' AS title, 'n' AS note UNION ALL SELECT 2, 'B', NULL"

    // MARK: - The root

    func testASingleValueAtTheRootIsTheWholeRow() throws {
        let books = [Book(id: 1, title: "A"), Book(id: 2, title: "B")]
        let annotated = try fetch(Annotated<Book>.self, rows)
        XCTAssertEqual(annotated.map(\.value), books)
        XCTAssertEqual(annotated.map(\.note), ["n", nil])
        XCTAssertEqual(try fetch(Boxed<Boxed<Book>>.self, rows).map(\.value.value), books)
        XCTAssertEqual(try fetch(Forwarding<Boxed<Book>>.self, rows).map(\.value.value), books)
        XCTAssertEqual(try fetch(Boxed<Forwarding<Book>>.self, rows).map(\.value.value), books)
        XCTAssertEqual(
            try fetch(Annotated<Author>.self, "SELECT 3 AS id, 'M' AS name, 'n' AS note").map(\.value),
            [Author(id: 3, name: "M")])
    }

    func testARecordAtTheRootReadsTheRowItself() throws {
        XCTAssertEqual(
            try fetch(Annotated<Renamed>.self, rows).map(\.value), [Renamed(name: "A"), Renamed(name: "B")])
        XCTAssertEqual(
            try fetch(Boxed<Renamed?>.self, rows).map(\.value), [Renamed(name: "A"), Renamed(name: "B")])
    }

    func testAScalarAtTheRootIsTheFirstColumn() throws {
        XCTAssertEqual(try fetch(Boxed<String>.self, "SELECT 'x', 2").map(\.value), ["x"])
        XCTAssertEqual(
            try fetch(Boxed<Int?>.self, "SELECT 1 UNION ALL SELECT NULL").map(\.value), [1, nil])
        XCTAssertEqual(
            try fetch(Boxed<Color>.self, "SELECT 'red' UNION ALL SELECT 'blue'").map(\.value), [.red, .blue])
        XCTAssertEqual(try fetch(Color.self, "SELECT 'blue'"), [.blue])
        let uuid = UUID()
        let text = "'\(uuid.uuidString)'"
        XCTAssertEqual(try fetch(Boxed<UUID>.self, "SELECT \(text)").map(\.value), [uuid])
        XCTAssertEqual(
            try fetch(Boxed<URL>.self, "SELECT 'https://a.b/'").map(\.value), [URL(string: "https://a.b/")])
        XCTAssertThrowsError(try fetch(Boxed<Int>.self, "SELECT 'x'")) {
            XCTAssert($0 is RowDecodingError, "\($0)")
        }
    }

    func testAnOptionalAtTheRootIsNilIfAllColumnsAreNull() throws {
        XCTAssertEqual(
            try fetch(Boxed<Book?>.self, "SELECT NULL AS id, NULL AS title UNION ALL SELECT 1, 'A'").map(
                \.value),
            [nil, Book(id: 1, title: "A")])
        struct Draft: Decodable, Equatable { var id: Int?, title: String }
        XCTAssertEqual(
            try fetch(Boxed<Draft?>.self, "SELECT NULL AS id, 'A' AS title").map(\.value),
            [Draft(id: nil, title: "A")])
    }

    // MARK: - Scopes, and several records in one row

    func testASingleValueInAScopeIsTheRowOfTheScope() throws {
        struct Info: Decodable, FetchableRecord {
            var book: Boxed<Book>, author: Boxed<Author>?, editor: Boxed<Author?>?
        }
        let sql = """
            SELECT 1 AS id, 'A' AS title, 2 AS id, 'M' AS name, NULL AS id, NULL AS name
            UNION ALL SELECT 3, 'B', NULL, NULL, 4, 'E'
            """
        let adapter = ScopeAdapter([
            "author": RangeRowAdapter(2..<4), "editor": RangeRowAdapter(4..<6),
        ])
        let infos = try fetch(Info.self, sql, adapter: adapter)
        XCTAssertEqual(infos.map(\.book.value), [Book(id: 1, title: "A"), Book(id: 3, title: "B")])
        XCTAssertEqual(infos.map(\.author?.value), [Author(id: 2, name: "M"), nil])
        XCTAssertEqual(infos.map(\.editor?.value), [nil, Author(id: 4, name: "E")])
    }

    func testARecordWithTheNameOfAColumnOfItsScopeReadsTheScope() throws {
        struct Info: Decodable, FetchableRecord { var title: Boxed<Book>? }
        let adapter = EmptyRowAdapter().addingScopes(["title": RangeRowAdapter(0..<2)])
        XCTAssertEqual(
            try fetch(Info.self, "SELECT 1 AS id, 'A' AS title", adapter: adapter).map(\.title?.value),
            [Book(id: 1, title: "A")])
    }

    func testEachKeyedContainerMayReadOneRecordFromTheWholeRow() throws {
        struct First: Decodable { var book: Book }
        struct Second: Decodable { var author: Author }
        struct Both: Decodable, FetchableRecord {
            var first: First, second: Second
            init(from decoder: any Decoder) throws {
                first = try First(from: decoder)
                second = try Second(from: decoder)
            }
        }
        let both = try fetch(
            Both.self, "SELECT 1 AS id, 'A' AS title, 'M' AS name UNION ALL SELECT 2, 'B', 'N'")
        XCTAssertEqual(both.map(\.first.book), [Book(id: 1, title: "A"), Book(id: 2, title: "B")])
        XCTAssertEqual(both.map(\.second.author), [Author(id: 1, name: "M"), Author(id: 2, name: "N")])
    }

    func testTheRecordThatHasTheWholeRowMayDifferFromRowToRow() throws {
        struct Either: Decodable, FetchableRecord {
            enum CodingKeys: CodingKey { case kind, book, author }
            var name: String
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                name =
                    try container.decode(Int.self, forKey: .kind) == 1
                    ? container.decode(Book.self, forKey: .book).title
                    : container.decode(Author.self, forKey: .author).name
            }
        }
        let sql = "SELECT 1 AS kind, 1 AS id, 'A' AS title, 'M' AS name UNION ALL SELECT 2, 2, 'B', 'N'"
        XCTAssertEqual(try fetch(Either.self, sql).map(\.name), ["A", "N"])
    }

    // MARK: - Missing values

    func testAMissingKeyOfAnOptionalIsNilHoweverItIsDecoded() throws {
        XCTAssertEqual(try fetch(Held<Author?>.self, "SELECT 1 AS id, 'M' AS name").map(\.value), [nil])
        XCTAssertEqual(try fetch(Held<Book?>.self, "SELECT NULL AS value").map(\.value), [nil])
        XCTAssertEqual(try fetch(Held<Color?>.self, "SELECT 1").map(\.value), [nil])
        XCTAssertEqual(try fetch(Held<[Int]?>.self, "SELECT 1").map(\.value), [nil])
        XCTAssertEqual(
            try fetch(Held<Author?>.self, #"SELECT '{"id":1,"name":"M"}' AS value"#).map(\.value),
            [Author(id: 1, name: "M")])
        let adapter = ScopeAdapter(["value": RangeRowAdapter(0..<2)])
        XCTAssertEqual(
            try fetch(
                Held<Author?>.self, "SELECT NULL AS id, NULL AS name UNION ALL SELECT 1, 'M'",
                adapter: adapter
            ).map(\.value), [nil, Author(id: 1, name: "M")])
    }

    func testMissingOptionalsDoNotCountAsTheRecordThatHasTheWholeRow() throws {
        struct A: Decodable { var id: Int? }
        struct Composed: Decodable, FetchableRecord {
            enum CodingKeys: CodingKey { case b, a, c }
            var b: Held<A?>?, a: A, c: A?
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                b = try container.decode(Held<A?>?.self, forKey: .b)
                a = try container.decode(A.self, forKey: .a)
                c = try container.decode(A?.self, forKey: .c)
            }
        }
        let composed = try Composed(row: ["id": 1])
        XCTAssertEqual(composed.a.id, 1)
        XCTAssertNil(composed.b)
        XCTAssertNil(composed.c)
    }

    func testAMissingSingleValueIsNamedInTheError() throws {
        struct Text: Decodable {
            init(from decoder: any Decoder) throws {
                _ = try decoder.singleValueContainer().decode(String.self)
            }
        }
        struct Value: Decodable {
            init(from decoder: any Decoder) throws {
                _ = try decoder.singleValueContainer().decode(Text.self)
            }
        }
        XCTAssertThrowsError(try fetch(Held<Value>.self, "SELECT 1 AS id")) { error in
            XCTAssert(error is RowDecodingError)
            XCTAssert("\(error)".contains("\"value\""), "\(error)")
        }
    }

    func testASuperclassFindsItsColumns() throws {
        class Named: Decodable {
            enum CodingKeys: CodingKey { case name }
            let name: String
            required init(from decoder: any Decoder) throws {
                name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
            }
        }
        final class Player: Named, FetchableRecord {
            enum Keys: CodingKey { case id, base }
            let id: Int
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                id = try container.decode(Int.self, forKey: .id)
                try super.init(from: container.superDecoder(forKey: .base))
            }
        }
        XCTAssertEqual(try Player(row: ["id": 1, "name": "M"]).name, "M")
        let adapter = ScopeAdapter(["base": SuffixRowAdapter(fromIndex: 2)])
        XCTAssertEqual(
            try fetch(Player.self, "SELECT 1 AS id, 'M' AS name, 'N' AS name", adapter: adapter).map(\.name),
            ["N"])
    }
}
