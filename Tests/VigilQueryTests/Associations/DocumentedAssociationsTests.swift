// The samples of the article *Associations*, which a tidy test compares with this file.

import Vigil
import XCTest

final class DocumentedAssociationsTests: XCTestCase {
    struct Author: Codable, Equatable, FetchableRecord, PersistableRecord {
        static let books = hasMany(Book.self)
        var id: Int64
        var name: String
    }

    struct Book: Codable, Equatable, FetchableRecord, PersistableRecord {
        static let author = belongsTo(Author.self)
        var id: Int64
        var authorId: Int64?
        var title: String
        var year: Int
    }

    private func makeDatabase() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE book(
                        id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT NOT NULL,
                        year INTEGER NOT NULL);
                    INSERT INTO author VALUES (1, 'Melville'), (2, 'Homer');
                    INSERT INTO book VALUES
                        (10, 1, 'Typee', 1846), (11, 1, 'Moby-Dick', 1851), (12, 2, 'Iliad', -700),
                        (13, NULL, 'Beowulf', 900);
                    """)
        }
        return dbQueue
    }

    func testRecordsAreFetchedWithAssociatedRecords() throws {
        let dbQueue = try makeDatabase()
        struct BookInfo: Decodable, FetchableRecord {
            var book: Book
            var author: Author?
        }

        struct AuthorInfo: Decodable, FetchableRecord {
            var author: Author
            var books: [Book]
        }

        let bookInfos = try dbQueue.read { db in
            try BookInfo.fetchAll(db, Book.including(optional: Book.author).order(Column("title")))
        }
        let authorInfos = try dbQueue.read { db in
            try AuthorInfo.fetchAll(db, Author.including(all: Author.books.order(Column("year"))))
        }
        XCTAssertEqual(bookInfos.map(\.book.title), ["Beowulf", "Iliad", "Moby-Dick", "Typee"])
        XCTAssertEqual(bookInfos.map(\.author?.name), [nil, "Homer", "Melville", "Melville"])
        XCTAssertEqual(authorInfos.map(\.author.name), ["Melville", "Homer"])
        XCTAssertEqual(authorInfos.map { $0.books.map(\.title) }, [["Typee", "Moby-Dick"], ["Iliad"]])
        let author = authorInfos[0].author
        let books = try dbQueue.read { db in try author.request(for: Author.books).fetchAll(db) }
        XCTAssertEqual(Set(books.map(\.id)), [10, 11])

        // The observation fetches for the books of one author only.
        let observation = ValueObservation.tracking { db in
            let request = Author.filter(Column("id") == 1).including(all: Author.books)
            return try AuthorInfo.fetchOne(db, request)
        }
        let (values, cancellable) = record(observation, in: dbQueue)
        try dbQueue.write { try $0.execute(sql: "UPDATE book SET title = 'Odyssey' WHERE id = 12") }
        try dbQueue.write { try $0.execute(sql: "UPDATE book SET title = 'Omoo' WHERE id = 10") }
        let titles = values.wait(count: 2).map { Set($0?.books.map(\.title) ?? []) }
        XCTAssertEqual(titles, [["Typee", "Moby-Dick"], ["Omoo", "Moby-Dick"]])
        cancellable.cancel()
    }

    func testAssociatedRecordsAreUsedInConditionsAndOrders() throws {
        let dbQueue = try makeDatabase()
        let author = TableAlias(for: Author.self)
        let request =
            Book
            .joining(required: Book.author.filter(Column("name") != "Homer").aliased(author))
            .order(author[Column("name")], Column("year"))
        let titles = try dbQueue.read { db in try request.fetchAll(db).map(\.title) }
        XCTAssertEqual(titles, ["Typee", "Moby-Dick"])
    }

    func testValuesAreComputedFromAssociatedRecords() throws {
        let dbQueue = try makeDatabase()
        struct AuthorStatistics: Decodable, FetchableRecord {
            var author: Author
            var bookCount: Int
            var maxBookYear: Int?
        }

        let statistics = try dbQueue.read { db in
            let request =
                Author
                .annotated(with: Author.books.count, Author.books.max(Column("year")))
                .having(Author.books.count > 1)
            return try AuthorStatistics.fetchAll(db, request)
        }
        XCTAssertEqual(statistics.map(\.author.name), ["Melville"])
        XCTAssertEqual(statistics.map(\.bookCount), [2])
        XCTAssertEqual(statistics.map(\.maxBookYear), [1851])
    }
}
