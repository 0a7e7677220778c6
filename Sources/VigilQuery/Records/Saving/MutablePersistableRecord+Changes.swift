public import VigilEngine

// Updates of changed columns. Without changes, no statement runs and no callback is called.
extension MutablePersistableRecord {
    /// Updates the columns with different values in another record.
    ///
    /// ```swift
    /// var newPlayer = player
    /// newPlayer.score = 100
    /// try newPlayer.updateChanges(db, from: player)  // UPDATE player SET score = 100 WHERE id = 1
    /// ```
    ///
    /// If nothing differs, no statement runs, and observations are not notified.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    ///   - record: The other record.
    /// - Returns: Whether anything differed.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is no row with the primary
    ///   key of the record; `DatabaseError` if the update fails; and any error thrown by callbacks or while a
    ///   record is encoded.
    @discardableResult
    public func updateChanges<Record: MutablePersistableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        from record: Record
    ) throws -> Bool {
        let columns = try changedColumns(db, from: SavingPlan.of(type(of: record), db).encode(record))
        guard !columns.names.isEmpty else { return false }
        try updateAndSave(db, onConflict: conflictResolution, columns: columns)
        return true
    }

    /// Modifies the record, and updates the changed columns.
    ///
    /// ```swift
    /// try player.updateChanges(db) {
    ///     $0.score = 100
    /// }
    /// ```
    ///
    /// If nothing differs, no statement runs, and observations are not notified.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    ///   - modify: Modifies the record.
    /// - Returns: Whether anything differed.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is no row with the primary
    ///   key of the record; `DatabaseError` if the update fails; and any error thrown by `modify`, by
    ///   callbacks or while the record is encoded.
    @discardableResult
    public mutating func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Bool {
        let old = try SavingPlan.of(type(of: self), db).encode(self)
        try modify(&self)
        let columns = try changedColumns(db, from: old)
        guard !columns.names.isEmpty else { return false }
        try updateAndSave(db, onConflict: conflictResolution, columns: columns)
        return true
    }

    /// Modifies the record, updates the changed columns, and returns the row.
    ///
    /// Before SQLite 3.35, a second statement fetches the row.
    ///
    /// - Returns: The updated row; `nil` if nothing differs.
    /// - Throws: See ``updateChanges(_:onConflict:modify:)``, and any error thrown while the row is decoded.
    public mutating func updateChangesAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Self? where Self: FetchableRecord {
        try updateChangesAndFetch(db, onConflict: conflictResolution, as: Self.self, modify: modify)
    }

    /// Modifies the record, updates the changed columns, and returns the row as another type of record.
    ///
    /// Before SQLite 3.35, a second statement fetches the row.
    ///
    /// - Returns: The updated row; `nil` if nothing differs.
    /// - Throws: See ``updateChanges(_:onConflict:modify:)``, and any error thrown while the row is decoded.
    public mutating func updateChangesAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type, modify: (inout Self) throws -> Void
    ) throws -> T? {
        let record = self
        return try updateChangesAndFetch(
            db, onConflict: conflictResolution, selection: T.databaseSelection,
            fetch: { try T.saved(by: $0, db, record: record) }, modify: modify)
    }

    /// Modifies the record, updates the changed columns, and returns the result of `fetch` for the row.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``persistenceConflictPolicy`` decides.
    ///   - selection: The selected columns, at least one.
    ///   - fetch: Runs the statement and reads its rows. Before SQLite 3.35, the statement is a query after
    ///     the update.
    ///   - modify: Modifies the record.
    /// - Returns: The result of `fetch`; `nil` if nothing differs.
    /// - Throws: See ``updateChanges(_:onConflict:modify:)``, and any error thrown by `fetch`.
    public mutating func updateChangesAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T, modify: (inout Self) throws -> Void
    ) throws -> T? {
        let old = try SavingPlan.of(type(of: self), db).encode(self)
        try modify(&self)
        let columns = try changedColumns(db, from: old)
        guard !columns.names.isEmpty else { return nil }
        return try updateAndSave(
            db, onConflict: conflictResolution, columns: columns, selection: selection, fetch: fetch)
    }

    private func changedColumns(_ db: Database, from old: EncodedRecord) throws -> RequestedColumns {
        let new = try SavingPlan.of(type(of: self), db).encode(self)
        return RequestedColumns(new.container.changes(from: old.container).map(\.column))
    }
}
