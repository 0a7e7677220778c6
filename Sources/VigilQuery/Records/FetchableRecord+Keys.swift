public import VigilEngine

// Fetching by primary key. The primary key must have one column; several columns need a dictionary.
extension FetchableRecord where Self: TableRecord {
    /// Returns the record with the given primary key; `nil` if no row has it, or if it is NULL.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(db, key: 42)
    /// let observation = ValueObservation.tracking { db in try Player.fetchOne(db, key: 42) }
    /// ```
    ///
    /// If the primary key is the row id, an observation is notified of changes of this row only. If the type
    /// is an ``EncodableRecord``, keys of type `Data`, `Date` and `UUID` are encoded by its strategies.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public static func fetchOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Self? {
        let value = key.databaseValue
        guard !value.isNull else { return nil }
        guard selectsAllColumns else { return try filter(key: key).fetchOne(db) }
        let statements = try PrimaryKeyStatements.of(self, db)
        return try fetchOne(statements.selection(of: statements.stored(key, value), db))
    }

    /// Fetches the record with the given primary key.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is no such row;
    ///   `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public static func find(_ db: Database, key: some DatabaseValueConvertible) throws -> Self {
        guard let record = try fetchOne(db, key: key) else { throw recordNotFound(db, key: key) }
        return record
    }

    /// Returns a cursor over the records with the given primary keys, in any order.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public static func fetchCursor(_ db: Database, keys: some Collection<some DatabaseValueConvertible>)
        throws
        -> RecordCursor<Self>
    {
        try filter(keys: keys).fetchCursor(db)
    }

    /// Fetches the records with the given primary keys, in any order.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, keys: [1, 2, 3])
    /// ```
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public static func fetchAll(_ db: Database, keys: some Collection<some DatabaseValueConvertible>) throws
        -> [Self]
    {
        try filter(keys: keys).fetchAll(db)
    }

    /// Whether the type's selection is the default.
    private static var selectsAllColumns: Bool {
        let selection = databaseSelection
        return selection.count == 1 && selection[0] is AllColumns
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// Fetches the records with the given primary keys.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public static func fetchSet(_ db: Database, keys: some Collection<some DatabaseValueConvertible>) throws
        -> Set<Self>
    {
        try filter(keys: keys).fetchSet(db)
    }
}

// MARK: - By identifier

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
    /// Fetches the record with the given identifier, or returns `nil` if there is no such row.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public static func fetchOne(_ db: Database, id: ID) throws -> Self? { try fetchOne(db, key: id) }

    /// Fetches the record with the given identifier.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is no such row;
    ///   `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public static func find(_ db: Database, id: ID) throws -> Self { try find(db, key: id) }

    /// Returns a cursor over the records with the given identifiers, in any order.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public static func fetchCursor(_ db: Database, ids: some Collection<ID>) throws -> RecordCursor<Self> {
        try fetchCursor(db, keys: ids)
    }

    /// Fetches the records with the given identifiers, in any order.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public static func fetchAll(_ db: Database, ids: some Collection<ID>) throws -> [Self] {
        try fetchAll(db, keys: ids)
    }
}

extension FetchableRecord where Self: TableRecord & Hashable & Identifiable, ID: DatabaseValueConvertible {
    /// Fetches the records with the given identifiers.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public static func fetchSet(_ db: Database, ids: some Collection<ID>) throws -> Set<Self> {
        try fetchSet(db, keys: ids)
    }
}

// MARK: - By several columns

extension FetchableRecord where Self: TableRecord {
    /// Fetches the record with the given values of a primary key or unique index; `nil` if it does not exist.
    ///
    /// ```swift
    /// let citizenship = try Citizenship.fetchOne(db, key: ["citizenId": 1, "countryCode": "FR"])
    /// ```
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if the columns do not identify a row.
    public static func fetchOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]?) throws
        -> Self?
    {
        guard let key else { return nil }
        return try filter(key: key).fetchOne(db)
    }

    /// Fetches the record with the given values of a primary key or unique index.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is no such row;
    ///   `DatabaseError` if the table does not exist, or if the columns do not identify a row.
    public static func find(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Self {
        guard let record = try fetchOne(db, key: key) else { throw recordNotFound(key: key) }
        return record
    }

    /// Returns a cursor over the records with the given values of a primary key or unique index, in any
    /// order.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if the columns do not identify a row.
    public static func fetchCursor(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws
        -> RecordCursor<Self>
    {
        try filter(keys: keys).fetchCursor(db)
    }

    /// Fetches the records with the given values of a primary key or unique index, in any order.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if the columns do not identify a row.
    public static func fetchAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws
        -> [Self]
    {
        try filter(keys: keys).fetchAll(db)
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// Fetches the records with the given values of a primary key or unique index.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if the columns do not identify a row.
    public static func fetchSet(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws
        -> Set<Self>
    {
        try filter(keys: keys).fetchSet(db)
    }
}
