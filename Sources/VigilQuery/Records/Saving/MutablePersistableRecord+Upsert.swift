public import VigilEngine

extension MutablePersistableRecord {
    /// Inserts the record, or updates the conflicting row, in a single statement.
    ///
    /// All columns of an existing row are updated, except the primary key. Any unique key can cause the
    /// conflict; on a PostgreSQL server, only the primary key. The callbacks of an insertion run.
    ///
    /// ```swift
    /// // INSERT INTO player (id, name, score) VALUES (1, 'Arthur', 100)
    /// // ON CONFLICT DO UPDATE SET name = excluded.name, score = excluded.score
    /// var player = Player(id: 1, name: "Arthur", score: 100)
    /// try player.upsert(db)
    /// ```
    ///
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE` before SQLite 3.35; `DatabaseError` if the statement
    ///   fails; and any error thrown by callbacks or while the record is encoded.
    public mutating func upsert(_ db: Database) throws {
        try upsertAndSave(db)
    }

    /// Inserts the record, or updates the conflicting row, and returns the row.
    ///
    /// ```swift
    /// let word = try word.upsertAndFetch(
    ///     db, onConflict: ["text"],
    ///     doUpdate: { excluded in
    ///         [
    ///             Column("count") += 1,
    ///             Column("createdAt").noOverwrite,
    ///         ]
    ///     })
    /// ```
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictTarget: The columns of the unique key for the conflict. By default, any unique key; on a
    ///     PostgreSQL server, the primary key.
    ///   - strategy: How columns without an assignment are updated.
    ///   - assignments: Returns the assignments to the columns of an existing row. Its argument refers to the
    ///     row proposed for insertion.
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE` before SQLite 3.35; `DatabaseError` if the statement
    ///   fails; and any error thrown by callbacks or while the record is encoded or decoded.
    public mutating func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(
            db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
    }

    /// Inserts the record, or updates the conflicting row, and returns the row as another type of record.
    ///
    /// See ``upsertAndFetch(_:onConflict:updating:doUpdate:)``.
    public mutating func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> T {
        let upsert = Upsert(
            onConflict: conflictTarget, updating: strategy,
            assignments: assignments?(TableAlias(name: "excluded")))
        return try upsertAndSave(db, upsert, selection: T.databaseSelection) { try T(row: $0) }
    }
}

// MARK: - With callbacks

extension MutablePersistableRecord {
    mutating func upsertAndSave(_ db: Database) throws {
        try upsertAndSave(db, Upsert(), selection: []) { _ in }
    }

    mutating func upsertAndSave<T>(
        _ db: Database, _ upsert: Upsert, selection: [any SQLSelectable], decode: (Row) throws -> T
    ) throws -> T {
        try withSaveCallbacks(db) { record in
            let (inserted, decoded) = try record.withInsertCallbacks(db) { record in
                let plan = try SavingPlan.of(type(of: record), db)
                return try plan.upsert(
                    db, plan.encode(record), with: upsert, selection: selection, decode: decode)
            }
            return (PersistenceSuccess(inserted), decoded)
        }
    }
}
