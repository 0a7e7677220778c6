public import VigilEngine

extension MutablePersistableRecord {
    /// Inserts the record.
    ///
    /// ```swift
    /// var player = Player(id: nil, name: "Arthur")
    /// try player.insert(db)
    /// ```
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    /// - Throws: `DatabaseError` if the insertion fails, and any error thrown by callbacks or while the
    ///   record is encoded.
    @inlinable  // bench: insert-records
    public mutating func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try insertAndSave(db, onConflict: conflictResolution)
    }

    /// Inserts the record, and returns it as modified by ``didInsert(_:)-(InsertionSuccess)``.
    ///
    /// ```swift
    /// let player = try Player(id: nil, name: "Arthur").inserted(db)
    /// ```
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    /// - Throws: `DatabaseError` if the insertion fails, and any error thrown by callbacks or while the
    ///   record is encoded.
    @inlinable  // bench: insert-records
    public func inserted(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self {
        var record = self
        try record.insertAndSave(db, onConflict: conflictResolution)
        return record
    }

    /// Inserts the record, and returns the inserted row, with the values added by the database.
    ///
    /// Before SQLite 3.35, a second statement fetches the row.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    /// - Throws: `DatabaseError` if the insertion fails;
    ///   ``RecordError/recordNotFound(databaseTableName:key:)`` if the row was not inserted because of a
    ///   conflict; and any error thrown by callbacks or while the record is encoded or decoded.
    public func insertAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        var record = self
        return try record.insertAndSave(db, onConflict: conflictResolution, selection: Self.databaseSelection)
        {
            try Self.saved(by: $0, db, record: self)
        }
    }

    /// Inserts the record, and returns the inserted row as another type of record.
    ///
    /// ```swift
    /// struct PartialPlayer: Codable, PersistableRecord {
    ///     static let databaseTableName = "player"
    ///     var name: String
    /// }
    /// let player = try PartialPlayer(name: "Arthur").insertAndFetch(db, as: Player.self)
    /// ```
    ///
    /// Before SQLite 3.35, a second statement fetches the row.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    ///   - returnedType: The type of the returned record.
    /// - Throws: `DatabaseError` if the insertion fails;
    ///   ``RecordError/recordNotFound(databaseTableName:key:)`` if the row was not inserted because of a
    ///   conflict; and any error thrown by callbacks or while a record is encoded or decoded.
    public mutating func insertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        let record = self
        return try insertAndSave(db, onConflict: conflictResolution, selection: T.databaseSelection) {
            try T.saved(by: $0, db, record: record)
        }
    }

    /// Inserts the record, and returns the result of `fetch` for the inserted row.
    ///
    /// ```swift
    /// let score = try player.insertAndFetch(db, selection: [Column("score")]) { statement in
    ///     try Int.fetchOne(statement)!
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    ///   - selection: The selected columns, at least one.
    ///   - fetch: Runs the statement and reads its rows. Before SQLite 3.35, the statement is a query after
    ///     the insertion.
    /// - Throws: `DatabaseError` if the insertion fails, and any error thrown by `fetch`, by callbacks or
    ///   while the record is encoded.
    public mutating func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try insertAndSave(db, onConflict: conflictResolution, selection: selection, fetch: fetch)
    }

    /// Inserts the record, and returns the result of `fetch` for the inserted row.
    ///
    /// ```swift
    /// let score = try player.insertAndFetch(db) { try Int.fetchOne($0)! } select: { [$0.score] }
    /// ```
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    ///   - fetch: Runs the statement and reads its rows. Before SQLite 3.35, the statement is a query after
    ///     the insertion.
    ///   - select: Returns the selected columns, at least one.
    /// - Throws: `DatabaseError` if the insertion fails, and any error thrown by the closures, by callbacks
    ///   or while the record is encoded.
    public mutating func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> T, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> T {
        try insertAndSave(
            db, onConflict: conflictResolution, selection: select(Self.databaseComponents), fetch: fetch)
    }
}

// MARK: - With callbacks

extension MutablePersistableRecord {
    @inlinable  // bench: insert-records
    mutating func insertAndSave(_ db: Database, onConflict conflict: Database.ConflictResolution?) throws {
        try willSave(db)
        var saved: PersistenceSuccess?
        try aroundSave(db) {
            let success = PersistenceSuccess(try insertWithCallbacks(db, onConflict: conflict))
            saved = success
            return success
        }
        guard let saved else { throw callbackMisuse("aroundSave") }
        didSave(saved)
    }

    @inlinable  // bench: insert-records
    mutating func insertWithCallbacks(_ db: Database, onConflict conflict: Database.ConflictResolution?)
        throws
        -> InsertionSuccess
    {
        try willInsert(db)
        var inserted: InsertionSuccess?
        try aroundInsert(db) {
            let success = try insertWithoutCallbacks(db, onConflict: conflict)
            inserted = success
            return success
        }
        guard let inserted else { throw callbackMisuse("aroundInsert") }
        if inserted.isInserted { didInsert(inserted) }
        return inserted
    }

    @usableFromInline
    func insertWithoutCallbacks(_ db: Database, onConflict conflict: Database.ConflictResolution?) throws
        -> InsertionSuccess
    {
        let plan = try SavingPlan.of(type(of: self), db)
        return try plan.insert(db, plan.encode(self), onConflict: conflict)
    }

    mutating func insertAndSave<T>(
        _ db: Database, onConflict conflict: Database.ConflictResolution?, selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        try withSaveCallbacks(db) { record in
            let (inserted, fetched) = try record.insertWithCallbacks(
                db, onConflict: conflict, selection: selection, fetch: fetch)
            return (PersistenceSuccess(inserted), fetched)
        }
    }

    mutating func insertWithCallbacks<T>(
        _ db: Database, onConflict conflict: Database.ConflictResolution?, selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> (InsertionSuccess, T) {
        try withInsertCallbacks(db) { record in
            let plan = try SavingPlan.of(type(of: record), db)
            return try plan.insert(
                db, plan.encode(record), onConflict: conflict, selection: selection, fetch: fetch)
        }
    }
}

extension FetchableRecord {
    /// Fetches the row saved by a statement.
    static func saved(by statement: Statement, _ db: Database, record: some MutablePersistableRecord) throws
        -> Self
    {
        guard let saved = try fetchOne(statement) else { throw record.recordNotFound(db) }
        return saved
    }
}
