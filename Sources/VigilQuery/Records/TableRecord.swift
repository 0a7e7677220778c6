public import VigilEngine

/// A type with an associated database table.
///
/// ```swift
/// struct Player: TableRecord {}  // table "player"
/// let count = try dbQueue.read(Player.fetchCount)
/// ```
public protocol TableRecord: _SendableMetatype {
    /// The name of the table.
    ///
    /// By default, the name of the type with its initial letter or acronym in lower case: `postalAddress` for
    /// `PostalAddress`, `httpRequest` for `HTTPRequest`, `toefl` for `TOEFL`.
    static var databaseTableName: String { get }

    /// The selection of the type's requests. By default, it is all columns.
    ///
    /// ```swift
    /// struct PlayerName: TableRecord, FetchableRecord, Decodable {
    ///     static let databaseTableName = "player"
    ///     static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("name")] }
    ///     var id: Int64
    ///     var name: String
    /// }
    /// ```
    static var databaseSelection: [any SQLSelectable] { get }

    /// A type with the columns of the table as static members. It can be a nested type `Columns`:
    ///
    /// ```swift
    /// struct Player: TableRecord {
    ///     enum Columns {
    ///         static let id = Column("id")
    ///         static let score = Column("score")
    ///     }
    /// }
    /// let request = Player.filter { $0.score > 1000 }.order(\.score.desc)
    /// ```
    associatedtype Columns = Never

    /// The type of ``databaseComponents``. By default, it is the type of ``Columns``.
    associatedtype DatabaseComponents = Columns.Type

    /// The argument of the closures of requests, and the root of their key paths. By default, ``Columns``.
    static var databaseComponents: DatabaseComponents { get }
}

extension TableRecord where DatabaseComponents == Columns.Type {
    /// The type `Columns`.
    public static var databaseComponents: DatabaseComponents { Columns.self }
}

extension TableRecord {
    /// The name of the type, with its initial letter or acronym in lower case.
    public static var databaseTableName: String { defaultTableName("\(Self.self)") }

    /// The selection of all columns.
    public static var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    /// Returns the number of rows in the table.
    ///
    /// - Throws: `DatabaseError` if the table does not exist or counting fails.
    public static func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

    /// Returns the number of columns of the type's requests, for adapters of rows with more columns.
    ///
    /// ```swift
    /// let adapters = try splittingRowAdapters(columnCounts: [
    ///     Player.numberOfSelectedColumns(db),
    ///     Team.numberOfSelectedColumns(db),
    /// ])
    /// ```
    ///
    /// - Throws: `DatabaseError` if the table or a selected column does not exist.
    public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
        try all().makePreparedRequest(db).statement.columnCount
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
        try all().fetchCursor(db)
    }

    /// Fetches all records of the table.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by `init(row:)`.
    public static func fetchAll(_ db: Database) throws -> [Self] {
        try all().fetchAll(db)
    }

    /// Fetches one record of the table, or returns `nil` if the table is empty.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by `init(row:)`.
    public static func fetchOne(_ db: Database) throws -> Self? {
        try all().fetchOne(db)
    }
}

extension TableRecord where Self: FetchableRecord & Hashable {
    /// Fetches the distinct records of the table.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by `init(row:)`.
    public static func fetchSet(_ db: Database) throws -> Set<Self> {
        try all().fetchSet(db)
    }
}
