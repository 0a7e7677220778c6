public import VigilEngine

extension QueryInterfaceRequest {
    /// Deletes the rows of the request, and returns their number.
    ///
    /// ```swift
    /// let count = try Player.filter(Column("score") == 0).deleteAll(db)
    /// ```
    ///
    /// - Throws: `DatabaseError` if the deletion fails.
    @discardableResult
    public func deleteAll(_ db: Database) throws -> Int { try query.deleteAll(db) }

    /// Updates the rows of the request, and returns their number.
    ///
    /// ```swift
    /// try Player.filter(Column("team") == "red").updateAll(db, [Column("score") += 10])
    /// ```
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: The resolution of constraint violations; by default, the record type's.
    ///   - assignments: The assignments to columns.
    /// - Throws: `DatabaseError` if the update fails.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        try query.updateAll(db, onConflict: conflictResolution ?? defaultConflictResolution, assignments)
    }

    /// Updates the rows of the request, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the update fails.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// The default resolution of constraint violations in updates: the record type's, if the rows are decoded
    /// as persistable records.
    var defaultConflictResolution: Database.ConflictResolution {
        let type = RowDecoder.self as? any MutablePersistableRecord.Type
        return type?.persistenceConflictPolicy.conflictResolutionForUpdate ?? .abort
    }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Updates the rows of the request, and returns their number.
    ///
    /// ```swift
    /// try Player.filter { $0.team == "red" }.updateAll(db) { $0.score += 10 }
    /// ```
    ///
    /// - Throws: `DatabaseError` if the update fails.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, [assignment(RowDecoder.databaseComponents)])
    }

    /// Updates the rows of the request, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the update fails.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }
}

// MARK: - Deleting and fetching

// Methods with the `RETURNING` clause of SQLite 3.35.
extension QueryInterfaceRequest {
    /// Returns a statement to delete the rows of the request and return their columns.
    ///
    /// - Throws: `DatabaseError` if the selection is empty, or if the library has no `RETURNING` clause.
    public func deleteAndFetchStatement(_ db: Database, selection: [any SQLSelectable]) throws -> Statement {
        try query.deletion(db, returning: checked(selection))
    }

    /// Returns a statement to update the rows of the request and return their columns.
    ///
    /// - Throws: `DatabaseError` if nothing is selected or assigned, or if the library has no `RETURNING`.
    public func updateAndFetchStatement(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment], selection: [any SQLSelectable]
    ) throws -> Statement {
        try query.update(
            db, onConflict: conflictResolution ?? defaultConflictResolution, assignments,
            returning: checked(selection))
    }

    private func checked(_ selection: [any SQLSelectable]) throws -> [SQLSelection] {
        guard !selection.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "a statement that returns rows needs a selection")
        }
        return selection.map(\.sqlSelection)
    }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Returns a statement to delete the rows of the request and return their columns.
    ///
    /// - Throws: `DatabaseError` if the selection is empty, or if the library has no `RETURNING` clause.
    public func deleteAndFetchStatement(
        _ db: Database, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Statement {
        try deleteAndFetchStatement(db, selection: select(RowDecoder.databaseComponents))
    }

    /// Returns a statement to update the rows of the request and return their columns.
    ///
    /// - Throws: `DatabaseError` if nothing is selected or assigned, or if the library has no `RETURNING`.
    public func updateAndFetchStatement(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment],
        select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Statement {
        try updateAndFetchStatement(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents),
            selection: select(RowDecoder.databaseComponents))
    }
}

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord {
    /// Deletes the rows of the request, and returns a cursor over the deleted records.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the library has no `RETURNING` clause.
    public func deleteAndFetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(deleteAndFetchStatement(db, selection: RowDecoder.databaseSelection))
    }

    /// Deletes the rows of the request, and returns the deleted records.
    ///
    /// ```swift
    /// let losers = try Player.filter { $0.score == 0 }.deleteAndFetchAll(db)
    /// ```
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the library has no `RETURNING` clause.
    public func deleteAndFetchAll(_ db: Database) throws -> [RowDecoder] {
        try Array(deleteAndFetchCursor(db))
    }

    /// Updates the rows of the request, and returns a cursor over the updated records.
    ///
    /// - Throws: `DatabaseError` if the update fails, or if the library has no `RETURNING` clause.
    public func updateAndFetchCursor(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(
            updateAndFetchStatement(
                db, onConflict: conflictResolution, assignments, selection: RowDecoder.databaseSelection))
    }

    /// Updates the rows of the request, and returns a cursor over the updated records.
    ///
    /// - Throws: `DatabaseError` if the update fails, or if the library has no `RETURNING` clause.
    public func updateAndFetchCursor(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> RecordCursor<RowDecoder> {
        try updateAndFetchCursor(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Updates the rows of the request, and returns the updated records.
    ///
    /// ```swift
    /// let players = try Player.filter { $0.team == "red" }.updateAndFetchAll(db, [Column("score") += 10])
    /// ```
    ///
    /// - Throws: `DatabaseError` if the update fails, or if the library has no `RETURNING` clause.
    public func updateAndFetchAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> [RowDecoder] {
        try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
    }

    /// Updates the rows of the request, and returns the updated records.
    ///
    /// - Throws: `DatabaseError` if the update fails, or if the library has no `RETURNING` clause.
    public func updateAndFetchAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> [RowDecoder] {
        try updateAndFetchAll(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }
}

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord & Hashable {
    /// Deletes the rows of the request, and returns the distinct deleted records.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the library has no `RETURNING` clause.
    public func deleteAndFetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try Set(deleteAndFetchCursor(db))
    }

    /// Updates the rows of the request, and returns the distinct updated records.
    ///
    /// - Throws: `DatabaseError` if the update fails, or if the library has no `RETURNING` clause.
    public func updateAndFetchSet(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Set<RowDecoder> {
        try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
    }

    /// Updates the rows of the request, and returns the distinct updated records.
    ///
    /// - Throws: `DatabaseError` if the update fails, or if the library has no `RETURNING` clause.
    public func updateAndFetchSet(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Set<RowDecoder> {
        try updateAndFetchSet(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }
}

extension QueryInterfaceRequest
where
    RowDecoder: TableRecord & Identifiable,
    RowDecoder.ID: Hashable & DatabaseValueConvertible & StatementColumnConvertible
{
    /// Deletes the rows of the request, and returns the identifiers of the deleted records.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, if the primary key has several columns, or if the
    ///   library has no `RETURNING` clause.
    public func deleteAndFetchIds(_ db: Database) throws -> Set<RowDecoder.ID> {
        let column = try query.writtenKeyColumn(db)
        return try RowDecoder.ID.fetchSet(deleteAndFetchStatement(db, selection: [Column(column)]))
    }
}
