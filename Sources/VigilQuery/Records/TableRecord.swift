public import VigilEngine

/// A type that is associated with a database table.
///
/// ```swift
/// struct Player: TableRecord {}  // table "player"
/// let count = try dbQueue.read(Player.fetchCount)
/// ```
public protocol TableRecord: SendableMetatype {
    /// The name of the table.
    ///
    /// By default, the name of the type with its initial letter or acronym in lower case: `postalAddress` for
    /// `PostalAddress`, `httpRequest` for `HTTPRequest`, `toefl` for `TOEFL`.
    static var databaseTableName: String { get }
}

extension TableRecord {
    /// The name of the type, with its initial letter or acronym in lower case.
    public static var databaseTableName: String { defaultTableName("\(Self.self)") }

    /// Returns the number of rows in the table.
    ///
    /// - Throws: `DatabaseError` if the table does not exist or counting fails.
    public static func fetchCount(_ db: Database) throws -> Int {
        try Table<Self>(databaseTableName).fetchCount(db)
    }
}

/// Returns the name of a type without generic arguments, with its initial letter or acronym in lower case.
func defaultTableName(_ typeName: String) -> String {
    let name = typeName.prefix { $0 != "<" }
    let capitals = name.prefix { $0.isASCII && $0.isUppercase }.count
    let lowered = capitals == name.count ? capitals : max(1, capitals - 1)
    return name.prefix(lowered).lowercased() + name.dropFirst(lowered)
}

extension TableRecord where Self: FetchableRecord {
    /// Returns a cursor over the records of the table.
    ///
    /// - Throws: `DatabaseError` if the table does not exist.
    public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
        try Table<Self>(databaseTableName).fetchCursor(db)
    }

    /// Fetches all records of the table.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by `init(row:)`.
    public static func fetchAll(_ db: Database) throws -> [Self] {
        try Table<Self>(databaseTableName).fetchAll(db)
    }

    /// Fetches one record of the table, or returns `nil` if the table is empty.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by `init(row:)`.
    public static func fetchOne(_ db: Database) throws -> Self? {
        try Table<Self>(databaseTableName).fetchOne(db)
    }
}

extension TableRecord where Self: FetchableRecord & Hashable {
    /// Fetches the distinct records of the table.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by `init(row:)`.
    public static func fetchSet(_ db: Database) throws -> Set<Self> {
        try Table<Self>(databaseTableName).fetchSet(db)
    }
}
