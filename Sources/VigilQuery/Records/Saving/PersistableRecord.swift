public import VigilEngine

/// A record that can be saved. Inserting it does not modify it.
///
/// ```swift
/// struct Place: Codable, FetchableRecord, PersistableRecord {
///     var id: UUID
///     var name: String
/// }
///
/// try dbQueue.write { db in
///     let place = Place(id: UUID(), name: "Lisbon")
///     try place.insert(db)
/// }
/// ```
///
/// Classes can conform too, and receive the row id of their row in `didInsert(_:)`. See
/// ``MutablePersistableRecord`` for the callbacks.
public protocol PersistableRecord: MutablePersistableRecord {
    /// Called before the record is inserted.
    func willInsert(_ db: Database) throws

    /// Called after the record was inserted.
    func didInsert(_ inserted: InsertionSuccess)
}

extension PersistableRecord {
    /// Does nothing.
    @inlinable  // bench: insert-records
    public func willInsert(_ db: Database) throws {}

    /// Does nothing.
    @inlinable  // bench: insert-records
    public func didInsert(_ inserted: InsertionSuccess) {}
}

// Non-mutating versions of the methods of `MutablePersistableRecord`. They save a copy of the record. The
// copy of a class instance is the instance, so its `didInsert(_:)` can modify it.
extension PersistableRecord {
    /// Inserts the record.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - conflictResolution: How a constraint violation is resolved. By default,
    ///     ``MutablePersistableRecord/persistenceConflictPolicy`` decides.
    /// - Throws: `DatabaseError` if the insertion fails, and any error thrown by callbacks or while the
    ///   record is encoded.
    @inlinable  // bench: insert-records
    public func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        var record = self
        try record.insertAndSave(db, onConflict: conflictResolution)
    }

    /// Updates the row of the record, or inserts the record if it has no row.
    ///
    /// See ``MutablePersistableRecord/save(_:onConflict:)``.
    public func save(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        var record = self
        try record.updateOrInsert(db, onConflict: conflictResolution)
    }

    /// Inserts the record, or updates the conflicting row.
    ///
    /// See ``MutablePersistableRecord/upsert(_:)``.
    public func upsert(_ db: Database) throws {
        var record = self
        try record.upsertAndSave(db)
    }
}

extension PersistableRecord {
    /// Inserts the record, and returns the inserted row as another type of record.
    ///
    /// See ``MutablePersistableRecord/insertAndFetch(_:onConflict:as:)``.
    public func insertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        var record = self
        return try record.insertAndSave(db, onConflict: conflictResolution, selection: T.databaseSelection) {
            try T.saved(by: $0, db, record: self)
        }
    }

    /// Inserts the record, and returns the result of `fetch` for the inserted row.
    ///
    /// See ``MutablePersistableRecord/insertAndFetch(_:onConflict:selection:fetch:)``.
    public func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        var record = self
        return try record.insertAndSave(
            db, onConflict: conflictResolution, selection: selection, fetch: fetch)
    }

    /// Inserts the record, and returns the result of `fetch` for the inserted row.
    ///
    /// See ``MutablePersistableRecord/insertAndFetch(_:onConflict:fetch:select:)``.
    public func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> T, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> T {
        try insertAndFetch(
            db, onConflict: conflictResolution, selection: select(Self.databaseComponents), fetch: fetch)
    }

    /// Updates or inserts the record, and returns the saved row as another type of record.
    ///
    /// See ``MutablePersistableRecord/saveAndFetch(_:onConflict:as:)``.
    public func saveAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        var record = self
        return try record.updateOrInsert(db, onConflict: conflictResolution, selection: T.databaseSelection) {
            try T.saved(by: $0, db, record: self)
        }
    }

    /// Updates or inserts the record, and returns the result of `fetch` for the saved row.
    ///
    /// See ``MutablePersistableRecord/saveAndFetch(_:onConflict:selection:fetch:)``.
    public func saveAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        var record = self
        return try record.updateOrInsert(
            db, onConflict: conflictResolution, selection: selection, fetch: fetch)
    }

    /// Inserts the record, or updates the conflicting row, and returns the row.
    ///
    /// See ``MutablePersistableRecord/upsertAndFetch(_:onConflict:updating:doUpdate:)``.
    public func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(
            db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
    }

    /// Inserts the record, or updates the conflicting row, and returns the row as another type of record.
    ///
    /// See ``MutablePersistableRecord/upsertAndFetch(_:as:onConflict:updating:doUpdate:)``.
    public func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> T {
        var record = self
        let upsert = Upsert(
            onConflict: conflictTarget, updating: strategy,
            assignments: assignments?(TableAlias(name: "excluded")))
        return try record.upsertAndSave(db, upsert, selection: T.databaseSelection) { try T(row: $0) }
    }
}
