import Vigil
import XCTest

private typealias Author = Library.Author
private typealias Book = Library.Book

final class AggregateTests: AssociationTestCase {
    private static let joined = """
        FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
        """

    func testAggregatesHaveNames() throws {
        let price = Book.Columns.price
        let aggregates: [(AssociationAggregate<Author>, String, String)] = [
            (Author.books.count, "COUNT(DISTINCT \"book\".\"id\")", "bookCount"),
            (Author.books.isEmpty, "COUNT(DISTINCT \"book\".\"id\") = 0", "hasNoBook"),
            (Author.books.average(price), "AVG(\"book\".\"price\")", "averageBookPrice"),
            (Author.books.max(price), "MAX(\"book\".\"price\")", "maxBookPrice"),
            (Author.books.min(price), "MIN(\"book\".\"price\")", "minBookPrice"),
            (Author.books.sum(price), "SUM(\"book\".\"price\")", "bookPriceSum"),
            (Author.books.total(price), "TOTAL(\"book\".\"price\")", "bookPriceSum"),
            (Author.books.max { $0.price }, "MAX(\"book\".\"price\")", "maxBookPrice"),
            (Author.books.count.forKey("number"), "COUNT(DISTINCT \"book\".\"id\")", "number"),
            (Author.books.forKey("works").count, "COUNT(DISTINCT \"book\".\"id\")", "workCount"),
            (Author.books.max(price) ?? 0, "IFNULL(MAX(\"book\".\"price\"), 0)", "maxBookPrice"),
        ]
        try makeDatabase().read { db in
            for (aggregate, sql, name) in aggregates {
                try assertSQL(
                    db, Author.annotated(with: aggregate),
                    "SELECT \"author\".*, \(sql) AS \"\(name)\" \(Self.joined)")
            }
        }
    }

    func testConditionsAreComputedFromAggregates() throws {
        let price = Book.Columns.price
        let conditions: [(AssociationAggregate<Author>, [Int64])] = [
            (Author.books.isEmpty, [3]),
            (!Author.books.isEmpty, [1, 2]),
            (Author.books.isEmpty == false, [1, 2]),
            (Author.books.count > 1, [1]),
            (2 > Author.books.count, [2, 3]),
            (Author.books.count == 1, [2]),
            (Author.books.count != 1, [1, 3]),
            (Author.books.max(price) === nil, [3]),
            (Author.books.max(price) == nil, [3]),
            (Author.books.max(price) != nil, [1, 2]),
            (Author.books.count == Author.awards.count, [1, 2, 3]),
            (Author.books.max(price) > Author.books.min(price), [1]),
            (Author.books.count >= 1 && Author.books.max(price) < 30, [1]),
            (Author.books.count < 1 || Author.books.max(price) >= 30, [2, 3]),
            (Author.books.sum(price) / Author.books.count == 15, [1]),
            (Author.books.count * 2 - 1 + 0 <= 1, [2, 3]),
            (-Author.books.count < -1, [1]),
            (abs(-Author.books.count) == 2, [1]),
            (cast(Author.books.count, as: .text) == "1", [2]),
            (length(cast(Author.books.max(price), as: .text)) == 2, [1, 2]),
            (Author.books.filter(Column("price") > 15).count == 1, [1, 2]),
        ]
        try onEachLibrary { db in
            for (condition, ids) in conditions {
                let request = Author.having(condition).order(Column("id"))
                XCTAssertEqual(try request.fetchAll(db).map(\.id), ids)
            }
        }
    }

    func testPrefetchedRowsMayHaveTheKeyOfAnAggregate() throws {
        try makeDatabase().read { db in
            for books in [
                Author.books, Author.books.forKey("works"), Author.hasMany(Book.self, key: "library"),
            ] {
                let request = Author.orderByPrimaryKey().having(!books.isEmpty).including(all: books)
                XCTAssertEqual(
                    try Row.fetchAll(db, request).map { row in
                        row.prefetchedRows.keys.flatMap { row.prefetchedRows[$0] ?? [] }.count
                    }, [2, 1])
            }
        }
    }

    func testAggregatesOfSeveralAssociationsAreIndependent() throws {
        struct Info: FetchableRecord, Decodable, Equatable {
            var author: Author
            var bookCount: Int
            var awardCount: Int
            var cheapBookCount: Int
        }
        try onEachLibrary { db in
            let cheap = Author.books.filter(Column("price") < 15).forKey("cheapBooks")
            let request = Author.annotated(with: Author.books.count, Author.awards.count, cheap.count)
                .order(Column("id"))
            let infos = try Info.fetchAll(db, request)
            XCTAssertEqual(infos.map(\.bookCount), [2, 1, 0])
            XCTAssertEqual(infos.map(\.awardCount), [2, 1, 0])
            XCTAssertEqual(infos.map(\.cheapBookCount), [1, 0, 0])
            XCTAssertEqual(infos.map(\.author.name), ["Melville", "Proust", "Homer"])
        }
    }

    func testOrdersAndAssociationsUseAggregates() throws {
        try onEachLibrary { db in
            let request = Author.annotated(with: Author.books.count).order(Column("bookCount").detached.desc)
            XCTAssertEqual(try request.fetchAll(db).map(\.id), [1, 2, 3])
            let rows = try Row.fetchAll(
                db,
                Author.including(all: Author.books.annotated(with: Book.awards.count).order(Column("id")))
                    .order(Column("id")))
            XCTAssertEqual(
                rows.map { $0.prefetchedRows["books"]?.map { $0["awardCount"] as Int } }, [[2, 0], [1], []])
        }
    }

    /// SQLite hides the row ids of tables in a join in parentheses.
    func testRowsBehindAnOptionalAssociationAreCountedByTheirRowIDs() throws {
        struct Team: TableRecord {
            static let players = hasMany(Player.self)
        }
        struct Player: TableRecord {
            static let medals = hasMany(Medal.self)
        }
        struct Medal: TableRecord {}
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(id INTEGER PRIMARY KEY);
                    CREATE TABLE player(code TEXT PRIMARY KEY, teamId INTEGER REFERENCES team(id));
                    CREATE TABLE medal(id TEXT PRIMARY KEY, playerCode TEXT REFERENCES player(code));
                    INSERT INTO team VALUES (1), (2); INSERT INTO player VALUES ('x', 1), ('y', 1);
                    INSERT INTO medal VALUES ('a', 'x'), ('b', 'x');
                    """)
            let decorated = Team.players.joining(required: Player.medals)
            let teams = Team.orderByPrimaryKey()
            let counted = try Row.fetchAll(db, teams.annotated(with: decorated.count))
            XCTAssertEqual(counted.map { $0["playerCount"] }, [1, 0])
            XCTAssertEqual(counted.first.map { Array($0.columnNames) }, ["id", "playerCount"])
            let empty = try Row.fetchAll(db, teams.annotated(with: decorated.isEmpty))
            XCTAssertEqual(empty.map { $0["hasNoPlayer"] }, [false, true])
            let included = try Row.fetchAll(db, teams.including(optional: decorated))
            XCTAssertEqual(
                included.map { $0.scopes["player"].map { Array($0.columnNames) } ?? [] }.last,
                ["code", "teamId"])
        }
    }
}
