public import VigilEngine

/// A type that stands for a table.
///
/// ```swift
/// struct Player: TableRecord {}  // table "player"
/// let count = try dbQueue.read(Player.fetchCount)
/// ```
public protocol TableRecord: SendableMetatype {
    /// The name of the table. By default that of the type, with a lower-case first letter: `PostalAddress` is
    /// `postalAddress`, `HTTPRequest` is `httpRequest`, `TOEFL` is `toefl`.
    static var databaseTableName: String { get }
}

extension TableRecord {
    /// The name of the type, with a lower-case first letter.
    public static var databaseTableName: String { defaultTableName("\(Self.self)") }

    /// The number of rows in the table.
    public static func fetchCount(_ db: Database) throws -> Int {
        try Table<Self>(databaseTableName).fetchCount(db)
    }
}

/// An acronym in front becomes lower case as a whole.
func defaultTableName(_ typeName: String) -> String {
    let name = typeName.prefix { $0 != "<" }
    let capitals = name.prefix { $0.isASCII && $0.isUppercase }.count
    let lowered = capitals == name.count ? capitals : max(1, capitals - 1)
    return name.prefix(lowered).lowercased() + name.dropFirst(lowered)
}

extension TableRecord where Self: FetchableRecord {
    /// The records of the table, one after the other.
    public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
        try Table<Self>(databaseTableName).fetchCursor(db)
    }

    /// All records of the table.
    public static func fetchAll(_ db: Database) throws -> [Self] {
        try Table<Self>(databaseTableName).fetchAll(db)
    }

    /// A record of the table, or `nil` if it is empty.
    public static func fetchOne(_ db: Database) throws -> Self? {
        try Table<Self>(databaseTableName).fetchOne(db)
    }
}

extension TableRecord where Self: FetchableRecord & Hashable {
    /// All different records of the table.
    public static func fetchSet(_ db: Database) throws -> Set<Self> {
        try Table<Self>(databaseTableName).fetchSet(db)
    }
}
