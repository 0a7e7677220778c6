import Synchronization
import Vigil
import VigilEngine
import VigilStorage
import XCTest

private typealias Author = Library.Author
private typealias Book = Library.Book

/// A request type of a program, made from a request with an association.
private struct AuthorsWithBooks: FetchRequest {
    typealias RowDecoder = Row
    private var base: QueryInterfaceRequest<Row> {
        Author.including(all: Author.books).asRequest(of: Row.self)
    }
    var sqlSubquery: SQLSubquery { base.sqlSubquery }
    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
        try base.makePreparedRequest(db, forSingleResult: singleResult)
    }
}

final class AssociationObservationTests: AssociationTestCase {
    /// Counts the fetches that statements cause for an observation of a request's rows.
    ///
    /// - Parameters:
    ///   - changes: The statements, each of which is a transaction, and whether it must cause a fetch.
    ///   - rows: SQL that adds rows before the observation starts.
    ///   - needsRowImages: Whether libraries that do not report the values of rows may fetch more often. They
    ///     run only the statements that must cause a fetch.
    private func assertFetches<T>(
        of request: QueryInterfaceRequest<T>, _ changes: [(String, Bool)], rows: String = "",
        needsRowImages: Bool = false, line: UInt = #line
    ) throws {
        try onEachWriter { writer in
            try writer.write { try $0.execute(sql: Self.schema + Self.rows + rows) }
            let isPrecise =
                try !needsRowImages || writer.write { $0.connection.capabilities.reportsRowImages }
            // The number of the fetch, and the last change that it has read.
            let fetches = Mutex(0)
            let observation = ValueObservation.tracking { db in
                _ = try Row.fetchAll(db, request)
                return fetches.withLock { count in
                    count += 1
                    return count
                }
            }
            let (values, cancellable) = record(observation, in: writer)
            _ = values.wait(count: 1, line: line)
            var expected = 1
            for (sql, isObserved) in changes where isObserved || isPrecise {
                try writer.write { try $0.execute(sql: sql) }
                if isObserved {
                    expected += 1
                    _ = values.wait(count: expected, line: line)
                }
                // The region is unchanged if nothing was fetched, so that the next change reveals a late
                // fetch.
                XCTAssertEqual(fetches.withLock { $0 }, expected, sql, line: line)
            }
            cancellable.cancel()
        }
    }

    func testJoinsAreObservedByTheirTables() throws {
        let request = Book.filter(Column("price") > 15).including(required: Book.author)
        try assertFetches(
            of: request,
            [
                ("UPDATE author SET name = 'Herman' WHERE id = 1", true),
                ("UPDATE book SET title = 'Whale' WHERE id = 10", true),
                ("INSERT INTO award VALUES (200, 10, 'x')", false),
                ("UPDATE book SET title = 'Omoo' WHERE id = 11", false),
                ("INSERT INTO book VALUES (30, 1, 'Cheap', 1)", false),
                ("INSERT INTO book VALUES (31, 1, 'Dear', 100)", true),
                ("UPDATE country SET name = 'USA'", false),
            ], needsRowImages: true)
    }

    func testJoinsKeepTheRowIDsOfTheRequest() throws {
        let book = Book.filter(key: 10)
        let requests: [(QueryInterfaceRequest<Book>, Bool)] = [
            (book.including(optional: Book.author), true),
            (book.including(optional: Book.author.including(optional: Author.country)), true),
            (book.joining(required: Book.author.filter(Column("name") != "x")), true),
            (book.annotated(withOptional: Book.author.select(Column("name"))), true),
            // The books of the author.
            (book.joining(optional: Book.author.joining(optional: Author.books)), false),
            (
                book.including(optional: Book.author.filter(sql: "name > (SELECT MIN(title) FROM book)")),
                false
            ),
        ]
        try makeDatabase().read { db in
            for (request, isNarrow) in requests {
                var recorded = DatabaseRegion()
                _ = try db.recordingSelection(&recorded) { try Row.fetchAll(db, request) }
                for region in [recorded.description, try request.databaseRegion(db).description] {
                    XCTAssertEqual(region.contains("book(authorId,id,price,title)[10]"), isNarrow, region)
                }
            }
            let employee = Library.Employee.filter(key: 2).including(optional: Library.Employee.manager)
            XCTAssertEqual(try employee.databaseRegion(db).description, "employee(id,managerId,name)")
        }
    }

    func testColumnsThatAreNotSelectedCauseNoFetch() throws {
        try assertFetches(
            of: Book.select(Column("title")).joining(required: Book.author),
            [
                ("UPDATE author SET name = 'Herman'", false),
                ("UPDATE book SET price = 1", false),
                ("UPDATE book SET authorId = 2 WHERE id = 10", true),
            ])
    }

    func testPrefetchedRowsAreObservedByTheKeysOfTheirParents() throws {
        let request = Author.filter(Column("countryCode") == "US").including(all: Author.books)
        try assertFetches(
            of: request,
            [
                ("UPDATE book SET title = 'Whale' WHERE id = 10", true),
                ("INSERT INTO book VALUES (20, 1, 'Omoo', 1)", true),
                ("UPDATE book SET title = 'Time' WHERE id = 12", false),
                ("INSERT INTO book VALUES (21, 2, 'Time', 1)", false),
                ("DELETE FROM book WHERE id = 21", false),
                ("INSERT INTO book VALUES (22, NULL, 'None', 1)", false),
                ("UPDATE book SET authorId = 1 WHERE id = 22", true),
                ("UPDATE author SET countryCode = 'US' WHERE id = 2", true),
                // The book has a parent in the result since the last fetch.
                ("UPDATE book SET title = 'Time regained' WHERE id = 12", true),
            ])
    }

    func testNestedPrefetchesAreObservedByTheKeysOfTheirParents() throws {
        let request = Author.filter(Column("id") == 1).including(
            all: Author.books.including(all: Book.awards))
        try assertFetches(
            of: request,
            [
                ("INSERT INTO award VALUES (200, 11, 'x')", true),
                ("INSERT INTO award VALUES (201, 12, 'x')", false),
                ("UPDATE award SET name = 'y' WHERE id = 102", false),
                ("UPDATE author SET name = 'x' WHERE id = 2", false),
                ("UPDATE award SET bookId = 10 WHERE id = 102", true),
            ], needsRowImages: true)
    }

    func testPrefetchesWithoutParentsAreNotObserved() throws {
        try assertFetches(
            of: Author.filter(Column("id") == 99).including(all: Author.books),
            [
                ("INSERT INTO book VALUES (20, 1, 'Omoo', 1)", false),
                ("INSERT INTO author VALUES (99, 'x', NULL)", true),
                ("INSERT INTO book VALUES (21, 99, 'y', 1)", true),
            ])
    }

    func testAggregatesAreObserved() throws {
        try assertFetches(
            of: Author.select(Column("id")).annotated(with: Author.books.count),
            [
                ("INSERT INTO book VALUES (20, 1, 'Omoo', 1)", true),
                ("UPDATE book SET title = 'x'", false),
                ("UPDATE author SET name = 'x'", false),
                ("UPDATE book SET authorId = 3 WHERE id = 20", true),
            ])
    }

    func testRegionsOfRequestsIncludeAllRowsThatCanBePrefetched() throws {
        try makeDatabase().read { db in
            let request = Author.including(all: Author.books.including(all: Book.awards))
            let region = try request.databaseRegion(db)
            XCTAssertEqual(
                region.description,
                "author(countryCode,id,name),award(bookId,id,name),book(authorId,id,price,title)")
            let none = Author.none().including(all: Author.books)
            XCTAssertTrue(try none.databaseRegion(db).isEmpty)
            XCTAssertTrue(try none.makePreparedRequest(db).statement.databaseRegion.isEmpty)
        }
    }

    func testRegionsOfCustomRequestsIncludeAllRowsThatCanBePrefetched() throws {
        try onEachWriter { writer in
            try writer.write { try $0.execute(sql: Self.schema + Self.rows) }
            let request = AuthorsWithBooks()
            try writer.read { db in
                let (authors, books) = ("author(countryCode,id,name)", "book(authorId,id,price,title)")
                let expected = "\(authors),\(books)"
                XCTAssertEqual(try request.databaseRegion(db).description, expected)
                XCTAssertEqual(try AnyFetchRequest(request).databaseRegion(db).description, expected)
                let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
                XCTAssertEqual(statement.databaseRegion.description, expected)
                XCTAssertEqual(try statement.observedRegion(db).description, expected)
                // Another request with the same statement.
                try statement.setArguments([])
                XCTAssertEqual(statement.databaseRegion.description, authors)
            }
            let changes = Mutex(0)
            let cancellable = DatabaseRegionObservation(tracking: request).start(
                in: writer, onError: { XCTFail("\($0)") }, onChange: { _ in changes.withLock { $0 += 1 } })
            try writer.write { try $0.execute(sql: "INSERT INTO book VALUES (20, 1, 'Omoo', 1)") }
            XCTAssertEqual(changes.withLock { $0 }, 1)
            cancellable.cancel()
        }
    }

    func testTreesAreObservedAsDecodedValues() throws {
        struct Info: FetchableRecord, Decodable, Equatable, Sendable {
            var author: Author
            var books: [Book]
        }
        try onEachWriter { writer in
            try writer.write { try $0.execute(sql: Self.schema + Self.rows) }
            let request = Author.filter(Column("id") == 1)
                .including(all: Author.books.order(Column("id"))).asRequest(of: Info.self)
            let (values, cancellable) = record(request.observationForAll(), in: writer)
            try writer.write { try $0.execute(sql: "UPDATE book SET title = 'Whale' WHERE id = 10") }
            let titles = values.wait(count: 2).map { $0.flatMap { $0.books.map(\.title) } }
            XCTAssertEqual(titles, [["Moby-Dick", "Typee"], ["Whale", "Typee"]])
            cancellable.cancel()
        }
    }

    func testConstantRegionsContainThePrefetchedRowsOfLaterParents() throws {
        try onEachWriter { writer in
            try writer.write { try $0.execute(sql: Self.schema) }
            let request = Author.including(all: Author.books)
            let observation = ValueObservation.trackingConstantRegion { db in
                try Row.fetchAll(db, request).map { $0.prefetchedRows["books"]?.count ?? -1 }
            }
            let (values, cancellable) = record(observation, in: writer)
            XCTAssertEqual(values.wait(count: 1), [[]])
            try writer.write { try $0.execute(sql: "INSERT INTO author VALUES (1, 'Herman', NULL)") }
            XCTAssertEqual(values.wait(count: 2), [[], [0]])
            try writer.write { try $0.execute(sql: "INSERT INTO book VALUES (10, 1, 'Omoo', 3)") }
            XCTAssertEqual(values.wait(count: 3), [[], [0], [1]])
            cancellable.cancel()
        }
    }

    func testMoreThanALimitOfKeysAreObservedByTheTable() throws {
        let rows = """
            ;WITH RECURSIVE n(i) AS (SELECT 1001 UNION ALL SELECT i + 1 FROM n WHERE i < 2025)
            INSERT INTO author SELECT i, 'A', NULL FROM n;
            """
        for (last, isTable) in [(2024, false), (2025, true)] {
            let request = Author.filter((1001...last).contains(Column("id"))).including(all: Author.books)
            // The book of an author that is not fetched.
            let changes = [("UPDATE book SET title = 'Omoo' WHERE id = 10", isTable)]
            try assertFetches(of: request, changes, rows: rows, needsRowImages: true)
        }
    }

    func testAllStatementsOfAValueReadOneState() throws {
        try withEachBackend { configuration in
            let directory = try TemporaryDirectory()
            let pools = Mutex<DatabasePool?>(nil)
            var configuration = configuration
            configuration.prepareDatabase { db in
                db.add(
                    function: DatabaseFunction("commitOther", argumentCount: 1) { values in
                        // Runs while the authors are fetched, before their books are.
                        try pools.withLock { $0 }?.write { db in
                            try db.execute(sql: "UPDATE book SET title = title || '!'")
                        }
                        return values[0]
                    })
            }
            let dbPool = try DatabasePool(path: directory.file("db"), configuration: configuration)
            try dbPool.write { try $0.execute(sql: Self.schema + Self.rows) }
            pools.withLock { $0 = dbPool }
            defer { pools.withLock { $0 = nil } }
            let request = Author.filter(sql: "commitOther(author.id) = 1").including(all: Author.books)
            let before = try dbPool.read { db in
                try String.fetchAll(db, sql: "SELECT title FROM book WHERE authorId = 1 ORDER BY id")
            }
            let row = try dbPool.read { db in try Row.fetchOne(db, request) }
            let titles = row?.prefetchedRows["books"]?.map { $0["title"] as String }.sorted()
            XCTAssertEqual(titles, before.sorted())
            let after = try dbPool.read { db in
                try String.fetchAll(db, sql: "SELECT title FROM book WHERE authorId = 1 ORDER BY id")
            }
            XCTAssertNotEqual(after, before)
        }
    }

    /// Building the request finds the keys of its tables in the schema.
    func testCountsAndExistenceDoNotReadOtherTablesOfTheSchema() throws {
        let book = TableAlias<Book>()
        let changes = [
            ("CREATE TABLE other(a)", false),
            ("INSERT INTO book (authorId, title, price) VALUES (1, 'X', 1)", true),
            ("DROP TABLE other", false),
        ]
        try assertFetches(of: Author.annotated(with: Author.books.count), changes)
        try assertFetches(of: Author.having(Author.books.isEmpty), changes)
        try assertFetches(
            of: Author.joining(optional: Author.books.aliased(book)).filter(book.exists), changes)
    }
}
