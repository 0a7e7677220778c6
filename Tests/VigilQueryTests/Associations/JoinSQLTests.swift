import Vigil
import XCTest

private typealias Author = Library.Author
private typealias Award = Library.Award
private typealias Book = Library.Book
private typealias Country = Library.Country
private typealias Employee = Library.Employee

final class JoinSQLTests: AssociationTestCase {
    func testJoinsByForeignKeysOfTheSchema() throws {
        try makeDatabase().read { db in
            try assertSQL(
                db, Book.including(required: Book.author),
                """
                SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
                """)
            try assertSQL(
                db, Book.joining(optional: Book.author),
                """
                SELECT "book".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId"
                """)
            try assertSQL(
                db, Author.joining(required: Author.books),
                """
                SELECT "author".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id"
                """)
            try assertSQL(
                db, Book.including(optional: Book.country),
                """
                SELECT "book".*, "country".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" \
                LEFT JOIN "country" ON "country"."code" = "author"."countryCode"
                """)
        }
    }

    func testFiltersAndOrdersOfAssociationsApplyToTheirTable() throws {
        try makeDatabase().read { db in
            let author = Book.author.filter(Column("name") == "Melville").order(Column("name").desc)
            try assertSQL(
                db, Book.filter(Column("price") > 1).order(Column("title")).joining(required: author),
                """
                SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND \
                ("author"."name" = 'Melville') WHERE "book"."price" > 1 ORDER BY "book"."title", "author"."name" DESC
                """)
            try assertSQL(
                db, Book.order(Column("title")).joining(required: author).reversed(),
                """
                SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND \
                ("author"."name" = 'Melville') ORDER BY "book"."title" DESC, "author"."name" ASC
                """)
            try assertSQL(
                db, Book.joining(required: author).unordered(),
                """
                SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND \
                ("author"."name" = 'Melville')
                """)
        }
    }

    func testTablesOfTheSameNameAreNumbered() throws {
        try makeDatabase().read { db in
            try assertSQL(
                db, Employee.including(optional: Employee.manager),
                """
                SELECT "employee1".*, "employee2".* FROM "employee" "employee1" LEFT JOIN "employee" "employee2" \
                ON "employee2"."id" = "employee1"."managerId"
                """)
            let boss = TableAlias<Employee>(name: "boss")
            try assertSQL(
                db,
                Employee.joining(required: Employee.manager.aliased(boss)).filter(
                    boss[Column("name")] == "Ada"),
                """
                SELECT "employee".* FROM "employee" JOIN "employee" "boss" ON "boss"."id" = \
                "employee"."managerId" WHERE "boss"."name" = 'Ada'
                """)
        }
    }

    func testAssociationsWithTheSameKeyShareAJoin() throws {
        try makeDatabase().read { db in
            let merged = Book.joining(optional: Book.author.filter(Column("id") > 1))
                .including(required: Book.author.filter(Column("id") < 9))
            try assertSQL(
                db, merged,
                """
                SELECT "book".*, "author".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND \
                ("author"."id" > 1) AND ("author"."id" < 9)
                """)
            try assertSQL(
                db, Book.joining(optional: Book.author).including(optional: Book.author.forKey("writer")),
                """
                SELECT "book".*, "author2".* FROM "book" LEFT JOIN "author" "author1" ON "author1"."id" = \
                "book"."authorId" LEFT JOIN "author" "author2" ON "author2"."id" = "book"."authorId"
                """)
        }
    }

    func testRequiredAssociationsOfOptionalOnesRestrictTheseOnly() throws {
        try onEachLibrary { db in
            let author = Book.author.including(required: Author.country.filter(Column("code") == "FR"))
            let rows = try Row.fetchAll(
                db, Book.including(optional: author).order(Column("id")))
            XCTAssertEqual(rows.map { $0["title"] }, ["Moby-Dick", "Typee", "Swann", "Beowulf"])
            XCTAssertEqual(rows.map { $0["author"] as Author? }.map { $0?.name }, [nil, nil, "Proust", nil])
            XCTAssertEqual(rows.map { ($0["country"] as Country?)?.code }, [nil, nil, "FR", nil])
        }
    }

    func testForeignKeysAreFoundByTheirColumns() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE person(id INTEGER PRIMARY KEY);
                    CREATE TABLE work(id INTEGER PRIMARY KEY, writer REFERENCES person, reader REFERENCES person, other);
                    CREATE VIEW work_view AS SELECT * FROM work;
                    """)
            let work = Table("work")
            let person = Table("person")
            for column in ["writer", "reader", "other"] {
                let association = work.belongsTo(person, using: ForeignKey([column]))
                try assertSQL(
                    db, work.joining(required: association),
                    "SELECT \"work\".* FROM \"work\" JOIN \"person\" ON \"person\".\"id\" = \"work\".\"\(column)\""
                )
            }
            XCTAssertThrowsError(try work.joining(required: work.belongsTo(person)).fetchAll(db)) {
                XCTAssertEqual(
                    ($0 as? DatabaseError)?.message,
                    """
                    the columns of the association from table work to table person are unknown: the schema has \
                    several foreign keys between these tables; define the association with a ForeignKey that names \
                    the columns of both tables
                    """)
            }
            let view = Table("work_view")
            XCTAssertThrowsError(try view.joining(required: view.belongsTo(person)).fetchAll(db))
            try assertSQL(
                db, view.joining(required: view.belongsTo(person, using: ForeignKey(["writer"], to: ["id"]))),
                "SELECT \"work_view\".* FROM \"work_view\" JOIN \"person\" ON \"person\".\"id\" = \"work_view\".\"writer\""
            )
        }
    }

    func testAmbiguousAssociationsAreReported() throws {
        try makeDatabase().read { db in
            let other = Book.belongsTo(Author.self, using: ForeignKey(["id"]))
            let requests: [(QueryInterfaceRequest<Book>, String)] = [
                (
                    Book.joining(optional: Book.author).joining(optional: other),
                    "the association key author is ambiguous: distinguish the associations with forKey(_:)"
                ),
                (
                    Book.joining(required: Book.author.distinct()),
                    "the association author has distinct rows and cannot be joined: use a common table expression"
                ),
                (
                    Book.joining(required: Book.author.groupByPrimaryKey()),
                    "the association author has groups and cannot be joined: use a common table expression"
                ),
            ]
            for (request, message) in requests {
                XCTAssertThrowsError(try request.fetchAll(db)) {
                    XCTAssertEqual(($0 as? DatabaseError)?.message, message)
                }
            }
            let alias = TableAlias()
            XCTAssertThrowsError(
                try Employee.aliased(alias).joining(optional: Employee.manager.aliased(alias)).fetchAll(db))
        }
    }

    func testRequestsWithJoinsAreCountedAndEmbedded() throws {
        try onEachLibrary { db in
            let american = Book.joining(required: Book.author.filter(Column("countryCode") == "US"))
            XCTAssertEqual(try american.fetchCount(db), 2)
            XCTAssertFalse(try american.isEmpty(db))
            let awards = Award.filter(american.select(Column("id")).contains(Column("bookId")))
            XCTAssertEqual(try awards.fetchCount(db), 2)
            XCTAssertEqual(try american.fetchOne(db)?.id, 10)
            XCTAssertEqual(try american.updateAll(db, Column("price").set(to: 1)), 2)
            XCTAssertEqual(try Book.filter(Column("price") == 1).fetchCount(db), 2)
            XCTAssertEqual(
                try Award.joining(required: Award.book.filter(Column("id") == 10)).deleteAll(db), 2)
            XCTAssertEqual(try Award.fetchCount(db), 1)
        }
    }

    func testCommonTableExpressionsAreJoined() throws {
        try onEachLibrary { db in
            let latest = CommonTableExpression<Void>(
                named: "latest",
                request: Book.select(Column("authorId"), max(Column("price")).forKey("price")).group(
                    Column("authorId")))
            let association = Author.association(
                to: latest,
                on: { author, latest in author[Column("id")] == latest[Column("authorId")] })
            let request = Author.with(latest).including(optional: association).order(Column("id"))
            let rows = try Row.fetchAll(db, request)
            XCTAssertEqual(rows.map { $0.scopes["latest"]?["price"] as Int? }, [20, 30, nil])
            XCTAssertEqual(rows.map { $0.count }, [3, 3, 3])
            let all = Author.association(to: latest)
            XCTAssertEqual(try Author.with(latest).joining(required: all).fetchCount(db), 9)
        }
    }

    func testColumnsOfAssociationsAreSelectedAmongOwnOnes() throws {
        try onEachLibrary { db in
            let request = Book.annotated(
                withOptional: Book.author.select(Column("name").forKey("authorName"))
            ).order(Column("id"))
            let rows = try Row.fetchAll(db, request)
            XCTAssertEqual(rows.map { $0["authorName"] }, ["Melville", "Melville", "Proust", nil])
            XCTAssertTrue(rows.allSatisfy { $0.scopes.isEmpty })
            let required = Book.annotated(withRequired: Book.author.select(Column("name")))
            XCTAssertEqual(try required.fetchCount(db), 3)
        }
    }
}
