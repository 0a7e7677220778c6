public import VigilEngine

extension MutablePersistableRecord {
    /// Updates all columns of the record's row.
    ///
    /// ```swift
    /// player.score += 10
    /// try player.update(db)
    /// ```
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is no row with the primary
    ///   key of the record; `DatabaseError` if the update fails; and any error thrown by callbacks or while
    ///   the record is encoded.
    @inlinable  // bench: update-records
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try updateAndSave(db, onConflict: conflictResolution, columns: tableColumns(db))
    }

    /// Updates some columns of the record's row.
    ///
    /// ```swift
    /// try player.update(db, columns: ["score"])
    /// ```
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    ///   - columns: The updated columns, regardless of the case of ASCII letters. Columns of the primary key,
    ///     and columns not encoded by the record, are ignored.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is no row with the primary
    ///   key of the record; `DatabaseError` if the update fails; and any error thrown by callbacks or while
    ///   the record is encoded.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>
    ) throws {
        try updateAndSave(db, onConflict: conflictResolution, columns: RequestedColumns(columns))
    }

    /// Updates some columns of the record's row.
    ///
    /// See ``update(_:onConflict:columns:)-(_,_,Collection<String>)``.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<some ColumnExpression>
    ) throws {
        try updateAndSave(db, onConflict: conflictResolution, columns: RequestedColumns(columns.map(\.name)))
    }

    /// Updates some columns of the record's row.
    ///
    /// See ``update(_:onConflict:columns:)-(_,_,Collection<String>)``.
    @_disfavoredOverload
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<any ColumnExpression>
    ) throws {
        try updateAndSave(db, onConflict: conflictResolution, columns: RequestedColumns(columns.map(\.name)))
    }

    /// Updates the row of the record, and returns it, with the values changed by the database.
    ///
    /// Before SQLite 3.35, a second statement fetches the row.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is no row with the primary
    ///   key of the record; `DatabaseError` if the update fails; and any error thrown by callbacks or while
    ///   the record is encoded or decoded.
    public func updateAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        try updateAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Updates the row of the record, and returns it as another type of record.
    ///
    /// See ``updateAndFetch(_:onConflict:)``.
    public func updateAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        try updateAndSave(
            db, onConflict: conflictResolution, columns: tableColumns(db), selection: T.databaseSelection
        ) {
            try T.saved(by: $0, db, record: self)
        }
    }

    /// Updates the row of the record, and returns the result of `fetch` for it.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    ///   - selection: The selected columns, at least one.
    ///   - fetch: Runs the statement and reads its rows. Before SQLite 3.35, the statement is a query after
    ///     the update.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is no row with the primary
    ///   key of the record; `DatabaseError` if the update fails; and any error thrown by `fetch`, by
    ///   callbacks or while the record is encoded.
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try updateAndSave(
            db, onConflict: conflictResolution, columns: tableColumns(db), selection: selection, fetch: fetch)
    }

    /// Updates some columns of the record's row, and returns the result of `fetch` for the row.
    ///
    /// See ``updateAndFetch(_:onConflict:selection:fetch:)`` and
    /// ``update(_:onConflict:columns:)-(_,_,Collection<String>)``.
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>, selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try updateAndSave(
            db, onConflict: conflictResolution, columns: RequestedColumns(columns), selection: selection,
            fetch: fetch)
    }

    /// Updates some columns of the record's row, and returns the result of `fetch` for the row.
    ///
    /// See ``updateAndFetch(_:onConflict:selection:fetch:)`` and
    /// ``update(_:onConflict:columns:)-(_,_,Collection<String>)``.
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<some ColumnExpression>, selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        try updateAndSave(
            db, onConflict: conflictResolution, columns: RequestedColumns(columns.map(\.name)),
            selection: selection, fetch: fetch)
    }
}

// MARK: - With callbacks

extension MutablePersistableRecord {
    @usableFromInline
    func tableColumns(_ db: Database) throws -> RequestedColumns {
        try SavingPlan.of(type(of: self), db).allColumns
    }

    @inlinable  // bench: update-records
    func updateAndSave(
        _ db: Database, onConflict conflict: Database.ConflictResolution?, columns: RequestedColumns
    ) throws {
        try willSave(db)
        var saved: PersistenceSuccess?
        try aroundSave(db) {
            let success = try updateWithCallbacks(db, onConflict: conflict, columns: columns)
            saved = success
            return success
        }
        guard let saved else { throw callbackMisuse("aroundSave") }
        didSave(saved)
    }

    @inlinable  // bench: update-records
    func updateWithCallbacks(
        _ db: Database, onConflict conflict: Database.ConflictResolution?, columns: RequestedColumns
    ) throws -> PersistenceSuccess {
        try willUpdate(db, columns: columns.names)
        var updated: PersistenceSuccess?
        try aroundUpdate(db, columns: columns.names) {
            let success = try updateWithoutCallbacks(db, onConflict: conflict, columns: columns)
            updated = success
            return success
        }
        guard let updated else { throw callbackMisuse("aroundUpdate") }
        didUpdate(updated)
        return updated
    }

    @usableFromInline
    func updateWithoutCallbacks(
        _ db: Database, onConflict conflict: Database.ConflictResolution?, columns: RequestedColumns
    ) throws -> PersistenceSuccess {
        let plan = try SavingPlan.of(type(of: self), db)
        return try plan.update(db, plan.encode(self), columns: columns, onConflict: conflict)
    }

    func updateAndSave<T>(
        _ db: Database, onConflict conflict: Database.ConflictResolution?, columns: RequestedColumns,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try willSave(db)
        var result: (saved: PersistenceSuccess, fetched: T)?
        try aroundSave(db) {
            let success = try updateWithCallbacks(
                db, onConflict: conflict, columns: columns, selection: selection, fetch: fetch)
            result = success
            return success.0
        }
        guard let result else { throw callbackMisuse("aroundSave") }
        didSave(result.saved)
        return result.fetched
    }

    func updateWithCallbacks<T>(
        _ db: Database, onConflict conflict: Database.ConflictResolution?, columns: RequestedColumns,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> (PersistenceSuccess, T) {
        try willUpdate(db, columns: columns.names)
        var result: (updated: PersistenceSuccess, fetched: T)?
        try aroundUpdate(db, columns: columns.names) {
            let plan = try SavingPlan.of(type(of: self), db)
            let success = try plan.update(
                db, plan.encode(self), columns: columns, onConflict: conflict, selection: selection,
                fetch: fetch)
            result = success
            return success.0
        }
        guard let result else { throw callbackMisuse("aroundUpdate") }
        didUpdate(result.updated)
        return result
    }
}
