import Vigil
import XCTest

// Extensions of the request protocols, as programs write them to name their requests.
extension FilteredRequest {
    fileprivate func named(_ name: String) -> Self { filter(Column("name") == name) }
}

extension OrderedRequest {
    fileprivate func byName() -> Self { order(Column("name").desc) }
}

extension SelectionRequest {
    fileprivate func ages() -> Self { select(Column("age")) }
}

extension AggregatingRequest {
    fileprivate func eachAge() -> Self { group(Column("age")).having(Column("age") != nil) }
}

extension TableRequest where Self: FilteredRequest & OrderedRequest & TypedRequest {
    fileprivate func lastKey(after key: Int64) -> Self {
        filter(Column.rowID > key).orderByPrimaryKey().reversed()
    }
}

extension DerivableRequest<Patron> {
    fileprivate func adults() -> Self { filter { $0.age >= 18 } }
    fileprivate func names() -> Self { select { $0.name }.distinct() }
}

final class RequestProtocolTests: QueryInterfaceTestCase {
    func testProtocolExtensionsComposeRequests() throws {
        try makeDatabase().read { db in
            let cases: [(QueryInterfaceRequest<Patron>, String, Int)] = [
                (Patron.all().named("Arthur"), "SELECT * FROM \"reader\" WHERE \"name\" = 'Arthur'", 1),
                (Patron.all().byName(), "SELECT * FROM \"reader\" ORDER BY \"name\" DESC", 3),
                (
                    Patron.all().ages().eachAge(),
                    "SELECT \"age\" FROM \"reader\" GROUP BY \"age\" HAVING \"age\" IS NOT NULL", 2
                ),
                (
                    Patron.all().lastKey(after: 1),
                    "SELECT * FROM \"reader\" WHERE \"rowid\" > 1 ORDER BY \"id\" DESC", 2
                ),
                (
                    Patron.all().adults().names(),
                    "SELECT DISTINCT \"name\" FROM \"reader\" WHERE \"age\" >= 18", 1
                ),
            ]
            for (request, sql, count) in cases {
                try assertSQL(db, request, sql)
                XCTAssertEqual(try Row.fetchAll(db, request).count, count, sql)
                XCTAssertEqual(try request.fetchCount(db), count, sql)
            }
        }
    }

    func testIdentifiersMayBeOptional() throws {
        struct Reader: TableRecord, FetchableRecord, Decodable, Identifiable {
            var id: Int64?
        }
        try makeDatabase().read { db in
            let ids: [Int64] = [2, 3]
            XCTAssertEqual(try Reader.filter(ids: ids).orderByPrimaryKey().fetchAll(db).map(\.id), [2, 3])
            XCTAssertEqual(try Reader.all().filter(ids: ids).fetchCount(db), 2)
            XCTAssertEqual(try Table<Reader>("reader").filter(ids: ids).fetchCount(db), 2)
            XCTAssertEqual(try Reader.filter(ids: Set(ids)).fetchCount(db), 2)
            XCTAssertEqual(try Reader.filter(ids: ids.lazy.filter { $0 > 2 }).fetchCount(db), 1)
            XCTAssertEqual(try Reader.filter(ids: [2, 3]).fetchCount(db), 2)
            XCTAssertEqual(try Reader.filter(ids: [2, nil]).fetchAll(db).map(\.id), [2])
            XCTAssertEqual(try Reader.filter(ids: []).fetchCount(db), 0)
        }
    }

    func testNamesAreQuotedWhateverTheyContain() throws {
        let name = String(repeating: "\"", count: 300) + "é\u{0301} column"
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE \("a\"b".quotedDatabaseIdentifier)(\(name.quotedDatabaseIdentifier));
                    INSERT INTO \("a\"b".quotedDatabaseIdentifier) VALUES (1), (2)
                    """)
            let table = Table("a\"b")
            let request = table.filter(Column(name) > 1).order(Column(name)).select(
                Column(name).forKey("\"\""))
            let row = try XCTUnwrap(request.fetchOne(db))
            XCTAssertEqual(row["\"\""], 2)
            XCTAssertEqual(try table.select(max(Column(name)), as: Int.self).fetchOne(db), 2)
        }
    }

    func testLongRequestsAreWritten() throws {
        let ids = (1...400).map { Int64($0) }
        try makeDatabase().read { db in
            XCTAssertEqual(try Patron.filter(ids: ids).fetchCount(db), 3)
            let condition = ids.map { Col.id == $0 }.joined(operator: .or)
            XCTAssertEqual(try Patron.filter(condition).order(Col.id.desc).fetchAll(db).map(\.id), [3, 2, 1])
            let text = String(repeating: "x", count: 10_000)
            XCTAssertEqual(try Patron.filter(sql: "'\(text)' > ''").fetchCount(db), 3)
        }
    }

    func testKeysOfAnyCollectionAreAccepted() throws {
        let keys: [Int64?] = [1, nil, 3]
        let erased: any Collection<Int64> = [2]
        try makeDatabase().read { db in
            XCTAssertEqual(try Patron.filter(keys: keys).fetchCount(db), 2)
            XCTAssertEqual(try Patron.filter(keys: erased).fetchAll(db).map(\.id), [2])
            XCTAssertEqual(try Patron.filter(ids: Set([1, 2])).fetchCount(db), 2)
            XCTAssertEqual(try Patron.filter(ids: [1, 2, 3].lazy.map { $0 + 1 }).fetchCount(db), 2)
            XCTAssertEqual(try Patron.filter(ids: []).fetchCount(db), 0)
            XCTAssertEqual(try Patron.filter(key: nil as Int64?).fetchCount(db), 0)
            XCTAssertEqual(try Table("reader").filter(keys: [1, 2].prefix(1)).fetchCount(db), 1)
        }
    }
}
