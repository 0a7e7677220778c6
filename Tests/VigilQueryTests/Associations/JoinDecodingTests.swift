import Vigil
import XCTest

private typealias Author = Library.Author
private typealias Book = Library.Book
private typealias Country = Library.Country
private typealias Cover = Library.Cover
private typealias Employee = Library.Employee

private struct BookInfo: FetchableRecord, Decodable, Equatable {
    var book: Book
    var author: Author?
}

private struct NestedInfo: FetchableRecord, Decodable, Equatable {
    struct AuthorInfo: Decodable, Equatable {
        var name: String
        var country: Country?
    }
    var title: String
    var author: AuthorInfo?
}

final class JoinDecodingTests: AssociationTestCase {
    func testRowsHaveAScopeForEachAssociation() throws {
        try onEachLibrary { db in
            let request = Book.filter(Column("id") == 10)
                .including(optional: Book.author.including(optional: Author.country))
                .including(optional: Book.cover)
            let row = try XCTUnwrap(Row.fetchOne(db, request))
            XCTAssertEqual(row.columnNames.map { $0 }, ["id", "authorId", "title", "price"])
            XCTAssertEqual(row.scopes.names, ["author", "cover"])
            XCTAssertEqual(row.scopes["author"]?.scopes.names, ["country"])
            XCTAssertEqual(row["author"] as Author, Author(id: 1, name: "Melville", countryCode: "US"))
            XCTAssertEqual(row["country"] as Country, Country(code: "US", name: "United States"))
            XCTAssertEqual(row["cover"] as Cover?, Cover(bookId: 10, color: "blue"))
            XCTAssertTrue(row.unscoped.scopes.isEmpty)
            XCTAssertEqual(row.unadapted.count, 11)
        }
    }

    func testRecordsAreDecodedFromScopes() throws {
        try onEachLibrary { db in
            let request = Book.including(optional: Book.author).order(Column("id"))
            let infos = try BookInfo.fetchAll(db, request)
            XCTAssertEqual(infos.map(\.book.title), ["Moby-Dick", "Typee", "Swann", "Beowulf"])
            XCTAssertEqual(infos.map(\.author?.name), ["Melville", "Melville", "Proust", nil])
            XCTAssertEqual(try BookInfo.fetchOne(db, request), infos[0])
            XCTAssertEqual(try Array(BookInfo.fetchCursor(db, request)), infos)
            let nested = Book.including(optional: Book.author.including(optional: Author.country))
                .order(Column("id"))
            XCTAssertEqual(
                try NestedInfo.fetchAll(db, nested).map(\.author?.country?.code), ["US", "US", "FR", nil])
        }
    }

    func testScopesOfPivotsAreSkippedButNested() throws {
        try onEachLibrary { db in
            let row = try XCTUnwrap(
                Row.fetchOne(db, Book.filter(Column("id") == 12).including(required: Book.country)))
            XCTAssertEqual(row.scopes["author"]?.count, 0)
            XCTAssertEqual(row["country"] as Country, Country(code: "FR", name: "France"))
        }
    }

    func testSelectionsDetermineTheColumnsOfScopes() throws {
        try onEachLibrary { db in
            let authors: [(BelongsToAssociation<Book, Author>, [String])] = [
                (Book.author.select(Column("name")), ["name"]),
                (Book.author.select(.allColumns(excluding: ["name"])), ["id", "countryCode"]),
                (Book.author.select(Column("name"), SQL("1, 2 AS two").sqlSelection), ["name", "1", "two"]),
                (
                    Book.author.annotated(with: Column("name").forKey("n")),
                    ["id", "name", "countryCode", "n"]
                ),
            ]
            for (author, columns) in authors {
                let request = Book.select(Column("id")).including(required: author).including(
                    optional: Book.cover)
                let row = try XCTUnwrap(Row.fetchOne(db, request))
                XCTAssertEqual(Array(row.scopes["author"]?.columnNames.map { $0 } ?? []), columns)
                XCTAssertEqual(row.scopes["cover"]?.count, 2)
                XCTAssertEqual(row.count, 1)
            }
        }
    }

    func testColumnsOfJoinsInParenthesesHaveTheirNames() throws {
        try onEachLibrary { db in
            let country = TableAlias<Country>()
            let author = Book.author.joining(required: Author.country.aliased(country))
            let names = Book.joining(optional: author).annotated(with: country[Column("name")])
                .order(Column("id"))
            XCTAssertEqual(
                try Row.fetchAll(db, names).map { $0["name"] as String? },
                ["United States", "United States", "France", nil])
            // The row ids of this table are selected within the parentheses.
            let countries = Book.joining(optional: author).annotated(with: country[AllColumns()])
                .order(Column("id"))
            let row = try XCTUnwrap(Row.fetchOne(db, countries))
            XCTAssertEqual(
                row.columnNames.map { $0 }, ["id", "authorId", "title", "price", "code", "name"])
            XCTAssertEqual(try Country(row: row), Country(code: "US", name: "United States"))
        }
    }

    func testColumnsAddedToJoinsInParenthesesAreInTheirScope() throws {
        try onEachLibrary { db in
            let author = Book.author.select(Column("id")).annotated(withRequired: Author.country)
            let rows = try Row.fetchAll(db, Book.including(optional: author).order(Column("id")))
            let scopes = try rows.map { try XCTUnwrap($0.scopes["author"]) }
            XCTAssertEqual(scopes[0].columnNames.map { $0 }, ["id", "code", "name"])
            XCTAssertEqual(
                scopes.map { $0["name"] as String? }, ["United States", "United States", "France", nil])
        }
    }

    func testSelfReferencesAreDecoded() throws {
        struct Info: FetchableRecord, Decodable {
            var employee: Employee
            var manager: Employee?
        }
        try onEachLibrary { db in
            let infos = try Info.fetchAll(
                db, Employee.including(optional: Employee.manager).order(Column("id")))
            XCTAssertEqual(infos.map(\.employee.name), ["Ada", "Bob", "Cleo", "Dan"])
            XCTAssertEqual(infos.map(\.manager?.name), [nil, "Ada", "Ada", "Bob"])
        }
    }
}
