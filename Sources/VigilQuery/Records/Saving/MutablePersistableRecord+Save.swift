public import VigilEngine

extension MutablePersistableRecord {
    /// Updates the row of the record, or inserts the record if it has no row.
    ///
    /// A record with a `nil` primary key is inserted. Otherwise the row is updated, and inserted if the
    /// update finds no row. ``upsert(_:)`` is a single statement, and also updates rows with conflicts in
    /// other unique keys.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    /// - Throws: `DatabaseError` if a statement fails, and any error thrown by callbacks or while the record
    ///   is encoded.
    public mutating func save(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try updateOrInsert(db, onConflict: conflictResolution)
    }

    /// Saves the record, and returns it as modified by ``didInsert(_:)-(InsertionSuccess)``.
    ///
    /// See ``save(_:onConflict:)``.
    public func saved(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self {
        var record = self
        try record.updateOrInsert(db, onConflict: conflictResolution)
        return record
    }

    /// Updates the row of the record, or inserts the record if it has no row, and returns the saved row.
    ///
    /// Before SQLite 3.35, another statement fetches the row.
    ///
    /// - Throws: See ``save(_:onConflict:)``, and any error thrown while the row is decoded.
    public func saveAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        var record = self
        return try record.updateOrInsert(
            db, onConflict: conflictResolution, selection: Self.databaseSelection
        ) {
            try Self.saved(by: $0, db, record: self)
        }
    }

    /// Updates or inserts the record, and returns the saved row as another type of record.
    ///
    /// Before SQLite 3.35, another statement fetches the row.
    ///
    /// - Throws: See ``save(_:onConflict:)``, and any error thrown while the row is decoded.
    public mutating func saveAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        let record = self
        return try updateOrInsert(db, onConflict: conflictResolution, selection: T.databaseSelection) {
            try T.saved(by: $0, db, record: record)
        }
    }

    /// Updates the row of the record, or inserts the record if it has no row, and returns the result of
    /// `fetch` for the saved row.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    ///   - selection: The selected columns, at least one.
    ///   - fetch: Runs the statement and reads its rows. It is called again for the insertion if the update
    ///     finds no row. Before SQLite 3.35, the statement is a query after the update or insertion.
    /// - Throws: See ``save(_:onConflict:)``, and any error thrown by `fetch`.
    public mutating func saveAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try updateOrInsert(db, onConflict: conflictResolution, selection: selection, fetch: fetch)
    }
}

// MARK: - With callbacks

extension MutablePersistableRecord {
    mutating func updateOrInsert(_ db: Database, onConflict conflict: Database.ConflictResolution?) throws {
        try withSaveCallbacks(db) { record in
            if let updated = try record.updateIfPossible(
                db, { try record.updateWithCallbacks(db, onConflict: conflict, columns: $0) })
            {
                return (updated, ())
            }
            return (PersistenceSuccess(try record.insertWithCallbacks(db, onConflict: conflict)), ())
        }
    }

    mutating func updateOrInsert<T>(
        _ db: Database, onConflict conflict: Database.ConflictResolution?, selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        try withSaveCallbacks(db) { record in
            let updated = try record.updateIfPossible(db) {
                try record.updateWithCallbacks(
                    db, onConflict: conflict, columns: $0, selection: selection, fetch: fetch)
            }
            if let updated { return updated }
            let (inserted, fetched) = try record.insertWithCallbacks(
                db, onConflict: conflict, selection: selection, fetch: fetch)
            return (PersistenceSuccess(inserted), fetched)
        }
    }

    /// Updates all columns of the record, unless its primary key is `nil`.
    ///
    /// - Returns: The result of `update`; `nil` if there is no row to update.
    private func updateIfPossible<T>(_ db: Database, _ update: (RequestedColumns) throws -> T) throws -> T? {
        let plan = try SavingPlan.of(type(of: self), db)
        let encoded = try plan.encode(self)
        guard plan.hasKey(encoded) else { return nil }
        let (table, key) = (plan.tableName, plan.key(encoded))
        do {
            return try update(plan.allColumns)
        } catch RecordError.recordNotFound(databaseTableName: table, key: key) {
            return nil
        }
    }
}
