import Vigil
import XCTest

/// The records of the tests of associations.
enum Library {
    struct Author: TableRecord, FetchableRecord, Codable, Hashable, EncodableRecord {
        var id: Int64
        var name: String
        var countryCode: String?

        static let books = hasMany(Book.self)
        static let country = belongsTo(Country.self)
        static let awards = hasMany(Award.self, through: books, using: Book.awards)
    }

    struct Book: TableRecord, FetchableRecord, Codable, Hashable, EncodableRecord {
        var id: Int64
        var authorId: Int64?
        var title: String
        var price: Int?

        enum Columns {
            static let id = Column("id")
            static let authorId = Column("authorId")
            static let title = Column("title")
            static let price = Column("price")
        }

        static let author = belongsTo(Author.self)
        static let awards = hasMany(Award.self)
        static let country = hasOne(Country.self, through: author, using: Author.country)
        static let cover = hasOne(Cover.self)
    }

    struct Award: TableRecord, FetchableRecord, Codable, Hashable {
        var id: Int64
        var bookId: Int64
        var name: String

        static let book = belongsTo(Book.self)
    }

    struct Country: TableRecord, FetchableRecord, Codable, Hashable {
        var code: String
        var name: String

        static let authors = hasMany(Author.self)
        static let books = hasMany(Book.self, through: authors, using: Author.books)
    }

    struct Cover: TableRecord, FetchableRecord, Codable, Hashable {
        var bookId: Int64
        var color: String
    }

    /// Rows of a table that refers to itself.
    struct Employee: TableRecord, FetchableRecord, Codable, Hashable, EncodableRecord {
        var id: Int64
        var managerId: Int64?
        var name: String

        static let manager = belongsTo(Employee.self, key: "manager")
        static let reports = hasMany(Employee.self, key: "reports")
    }
}

class AssociationTestCase: QueryInterfaceTestCase {
    static let schema = """
        CREATE TABLE country(code TEXT PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL, countryCode TEXT REFERENCES country(code));
        CREATE TABLE book(id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT NOT NULL, price INT);
        CREATE INDEX bookOfAuthor ON book(authorId);
        CREATE TABLE award(id INTEGER PRIMARY KEY, bookId INTEGER NOT NULL REFERENCES book(id), name TEXT NOT NULL);
        CREATE TABLE cover(bookId INTEGER PRIMARY KEY REFERENCES book(id), color TEXT NOT NULL);
        CREATE TABLE employee(id INTEGER PRIMARY KEY, managerId INTEGER REFERENCES employee(id), name TEXT NOT NULL);
        """

    static let rows = """
        INSERT INTO country VALUES ('FR', 'France'), ('US', 'United States');
        INSERT INTO author VALUES (1, 'Melville', 'US'), (2, 'Proust', 'FR'), (3, 'Homer', NULL);
        INSERT INTO book VALUES (10, 1, 'Moby-Dick', 20), (11, 1, 'Typee', 10), (12, 2, 'Swann', 30), (13, NULL, 'Beowulf', 5);
        INSERT INTO award VALUES (100, 10, 'Gold'), (101, 10, 'Silver'), (102, 12, 'Gold');
        INSERT INTO cover VALUES (10, 'blue'), (13, 'red');
        INSERT INTO employee VALUES (1, NULL, 'Ada'), (2, 1, 'Bob'), (3, 1, 'Cleo'), (4, 2, 'Dan');
        """

    override func makeDatabase() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { try $0.execute(sql: Self.schema + Self.rows) }
        return dbQueue
    }

    /// Runs a test on each backend.
    func onEachLibrary(_ body: (Database) throws -> Void) throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: Self.schema + Self.rows)
                try body(db)
            }
        }
    }
}
