import Vigil
import XCTest

private typealias Author = Library.Author
private typealias Award = Library.Award
private typealias Book = Library.Book
private typealias Country = Library.Country
private typealias Employee = Library.Employee

private struct AuthorInfo: FetchableRecord, Decodable, Equatable {
    var author: Author
    var books: [Book]
}

private struct BookTree: Decodable, Hashable {
    var title: String
    var awards: Set<Award>
}

private struct AuthorTree: FetchableRecord, Decodable, Hashable {
    var name: String
    var books: [BookTree]
}

final class PrefetchTests: AssociationTestCase {
    private let authors = Author.including(all: Author.books.order(Column("id"))).order(Column("id"))

    func testAssociatedRowsAreFetchedByOneStatement() throws {
        try makeDatabase().read { db in
            let run = try statements(db) { _ = try Row.fetchAll(db, authors) }
            XCTAssertEqual(
                run,
                [
                    "SELECT * FROM \"author\" ORDER BY \"id\"",
                    """
                    SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3) ORDER BY "id"
                    """,
                ])
            let through = try statements(db) {
                _ = try Row.fetchAll(db, Author.filter(Column("id") == 1).including(all: Author.awards))
            }
            XCTAssertEqual(
                through.last,
                """
                SELECT "award".*, "book"."authorId" AS "grdb_authorId" FROM "award" JOIN "book" ON \
                ("book"."id" = "award"."bookId") AND ("book"."authorId" = 1)
                """)
        }
    }

    func testAssociatedRecordsAreDecodedByTheirInitializer() throws {
        struct RankedBook: Decodable, FetchableRecord, Equatable {
            enum CodingKeys: CodingKey { case title }
            var title: String
            var awardCount = -1

            init(row: Row) throws {
                self = try FetchableRecordDecoder().decode(Self.self, from: row)
                awardCount = row["awardCount"]
            }
        }
        struct Info: Decodable, FetchableRecord {
            var author: Author
            var books: [RankedBook]
        }
        struct CountryInfo: Decodable, FetchableRecord {
            var country: Country
            var authors: [Info]
        }
        let books = Author.books.annotated(with: Book.awards.count).order(Column("id"))
        try onEachLibrary { db in
            let request = Author.including(all: books).order(Column("id")).asRequest(of: Info.self)
            let infos = try request.fetchAll(db)
            XCTAssertEqual(infos.map { $0.books.map(\.awardCount) }, [[2, 0], [1], []])
            XCTAssertEqual(try request.fetchOne(db)?.books.map(\.awardCount), [2, 0])
            let nested = Country.including(all: Country.authors.including(all: books)).order(Column("code"))
            XCTAssertEqual(
                try CountryInfo.fetchAll(db, nested).map { $0.authors.map { $0.books.map(\.awardCount) } },
                [[[1]], [[2, 0]]])
        }
    }

    func testRowsHaveTheirAssociatedRows() throws {
        try onEachLibrary { db in
            let rows = try Row.fetchAll(db, authors)
            let titles = rows.map { $0.prefetchedRows["books"]?.map { $0["title"] as String } }
            XCTAssertEqual(titles, [["Moby-Dick", "Typee"], ["Swann"], []])
            XCTAssertEqual((rows[0]["books"] as [Book]).map(\.id), [10, 11])
            XCTAssertEqual((rows[0]["books"] as Set<Book>).count, 2)
            let first = try XCTUnwrap(Row.fetchOne(db, authors))
            XCTAssertEqual(first.prefetchedRows["books"]?.count, 2)
        }
    }

    func testRecordsAreDecodedFromPrefetchedRows() throws {
        try onEachLibrary { db in
            let infos = try AuthorInfo.fetchAll(db, authors)
            XCTAssertEqual(infos.map { $0.books.map(\.id) }, [[10, 11], [12], []])
            XCTAssertEqual(try AuthorInfo.fetchOne(db, authors), infos[0])
            let trees = try AuthorTree.fetchAll(
                db,
                Author.including(all: Author.books.order(Column("id")).including(all: Book.awards)).order(
                    Column("id")))
            XCTAssertEqual(
                trees.map { $0.books.map { $0.awards.map(\.id).sorted() } },
                [[[100, 101], []], [[102]], []])
        }
    }

    func testAssociationsOfJoinedRowsArePrefetched() throws {
        try onEachLibrary { db in
            let request = Book.including(
                optional: Book.author.including(all: Author.books.order(Column("id")))
            )
            .order(Column("id"))
            let rows = try Row.fetchAll(db, request)
            XCTAssertEqual(
                rows.map { $0.scopes["author"]?.prefetchedRows["books"]?.map { $0["id"] as Int } },
                [[10, 11], [10, 11], [12], []])
        }
    }

    func testRowsThroughOtherAssociationsArePrefetched() throws {
        try onEachLibrary { db in
            let request = Country.including(all: Country.books.order(Column("id")))
                .including(all: Country.authors.order(Column("id"))).order(Column("code"))
            let rows = try Row.fetchAll(db, request)
            XCTAssertEqual(
                rows.map { $0.prefetchedRows["books"]?.map { $0["title"] as String } },
                [["Swann"], ["Moby-Dick", "Typee"]])
            XCTAssertEqual(
                rows.map { $0.prefetchedRows["authors"]?.map { $0["name"] as String } },
                [["Proust"], ["Melville"]])
        }
    }

    func testAssociationsAreDistinguishedByKeys() throws {
        try onEachLibrary { db in
            let cheap = Author.books.filter(Column("price") < 15).forKey("cheapBooks")
            let expensive = Author.books.filter(Column("price") >= 15).forKey("expensiveBooks")
            let rows = try Row.fetchAll(
                db, Author.including(all: cheap).including(all: expensive).order(Column("id")))
            XCTAssertEqual(rows.map { $0.prefetchedRows["cheapBooks"]?.count }, [1, 0, 0])
            XCTAssertEqual(rows.map { $0.prefetchedRows["expensiveBooks"]?.count }, [1, 1, 0])
        }
    }

    func testRowsWithoutKeysNeedNoStatement() throws {
        try makeDatabase().read { db in
            let manager = Employee.hasMany(
                Employee.self, key: "peers", using: ForeignKey(["managerId"], to: ["managerId"]))
            let run = try statements(db) {
                let row = try Row.fetchOne(db, Employee.filter(Column("id") == 1).including(all: manager))
                XCTAssertEqual(row?.prefetchedRows["peers"], [])
                XCTAssertEqual(try Row.fetchAll(db, Author.none().including(all: Author.books)), [])
            }
            XCTAssertEqual(run.count, 2)
        }
    }

    func testManyParentsArePrefetchedByOneStatement() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: Self.schema)
                let count = 2_000
                try db.execute(
                    sql: """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                        INSERT INTO author SELECT i, 'a' || i, NULL FROM n;
                        INSERT INTO book SELECT id, id, name, NULL FROM author WHERE id % 2 = 1;
                        """)
                var rows: [Row] = []
                let run = try statements(db) {
                    rows = try Row.fetchAll(db, Author.including(all: Author.books).order(Column("id")))
                }
                XCTAssertEqual(run.count, 2)
                XCTAssertEqual(rows.count, count)
                let wrong = rows.filter { row in
                    let id: Int = row["id"]
                    let books: [Int]? = row.prefetchedRows["books"]?.map { $0["id"] }
                    return books != (id % 2 == 1 ? [id] : [])
                }
                XCTAssertEqual(wrong, [])
            }
        }
    }

    func testKeysOfSeveralColumnsArePrefetched() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE parent(a INT, b TEXT, PRIMARY KEY(a, b));
                        CREATE TABLE child(
                            id INTEGER PRIMARY KEY, a INT, b TEXT, FOREIGN KEY(a, b) REFERENCES parent(a, b));
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
                        INSERT INTO parent SELECT i / 10, 'b' || (i % 10) FROM n;
                        INSERT INTO child(a, b) SELECT a, b FROM parent WHERE b <> 'b3';
                        INSERT INTO child(a, b) VALUES (NULL, 'b1'), (1, NULL);
                        """)
                let parents = Table("parent")
                let request = parents.including(all: parents.hasMany(Table("child"))).order(
                    Column("a"), Column("b"))
                for limit in [1, 10, 200] {
                    var rows: [Row] = []
                    let run = try statements(db) { rows = try request.limit(limit).fetchAll(db) }
                    XCTAssertEqual(run.count, 2)
                    XCTAssertEqual(rows.count, limit)
                    for row in rows {
                        let children = try XCTUnwrap(row.prefetchedRows["children"])
                        XCTAssertEqual(children.count, row["b"] == "b3" ? 0 : 1)
                        XCTAssertTrue(
                            children.allSatisfy {
                                $0["a"] == row["a"] as Int && $0["b"] == row["b"] as String
                            })
                    }
                }
            }
        }
    }

    func testMissingColumnsAreReported() throws {
        try makeDatabase().read { db in
            XCTAssertThrowsError(try Author.select(Column("name")).including(all: Author.books).fetchAll(db))
            {
                XCTAssertEqual(
                    ($0 as? DatabaseError)?.message,
                    """
                    the association books is prefetched by the column id, which the request does not select: select \
                    it too
                    """)
            }
        }
    }

    func testAssociatedRecordsAreRequestedFromARecord() throws {
        try onEachLibrary { db in
            let author = try XCTUnwrap(Author.fetchOne(db, key: 1))
            let book = try XCTUnwrap(Book.fetchOne(db, key: 10))
            XCTAssertEqual(
                try author.request(for: Author.books).order(Column("id")).fetchAll(db).map(\.id), [10, 11])
            XCTAssertEqual(try author.request(for: Author.awards).fetchCount(db), 2)
            XCTAssertEqual(try book.request(for: Book.author).fetchOne(db), author)
            XCTAssertEqual(try book.request(for: Book.country).fetchOne(db)?.code, "US")
            let orphan = try XCTUnwrap(Book.fetchOne(db, key: 13))
            XCTAssertNil(try orphan.request(for: Book.author).fetchOne(db))
            let run = try statements(db) { _ = try author.request(for: Author.books).fetchAll(db) }
            XCTAssertEqual(run, ["SELECT * FROM \"book\" WHERE \"authorId\" = 1"])
        }
    }
}
