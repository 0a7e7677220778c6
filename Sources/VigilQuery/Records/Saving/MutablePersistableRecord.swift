public import VigilEngine

/// A record that can be saved. Inserting it may modify it.
///
/// Types with a property for the row id of their inserted row conform to this protocol. Types unaffected by
/// an insertion conform to ``PersistableRecord``, so constants can be saved.
///
/// ```swift
/// struct Player: Codable {
///     var id: Int64?
///     var name: String
///     var score: Int
/// }
///
/// extension Player: FetchableRecord, MutablePersistableRecord {
///     mutating func didInsert(_ inserted: InsertionSuccess) {
///         id = inserted.rowID
///     }
/// }
///
/// try dbQueue.write { db in
///     var player = Player(id: nil, name: "Arthur", score: 100)
///     try player.insert(db)
///     print(player.id!)
///     player.score += 10
///     try player.update(db)
/// }
/// ```
///
/// Saving writes exactly the columns of the record's ``EncodableRecord/encode(to:)-(PersistenceContainer)``.
///
/// ## Callbacks
///
/// A type can implement callbacks. They run in the following order. `save` runs the callbacks of an update if
/// the record has a primary key, and the callbacks of an insertion if no row has this key.
///
/// 1. `willSave`, `aroundSave` begins
/// 2. `willInsert` or `willUpdate`, `aroundInsert` or `aroundUpdate` begins
/// 3. the statement runs
/// 4. `aroundInsert` or `aroundUpdate` ends, `didInsert` or `didUpdate`
/// 5. `aroundSave` ends, `didSave`
///
/// An `around` callback must call its function argument, and rethrow the error. If one does not, saving
/// throws `SQLITE_MISUSE`. An error thrown by a callback ends the operation without a rollback: use a
/// transaction.
public protocol MutablePersistableRecord: EncodableRecord, TableRecord {
    /// How constraint violations are resolved. By default, saving fails.
    static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

    /// Called before the record is inserted.
    mutating func willInsert(_ db: Database) throws

    /// Called around the insertion.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - insert: Inserts the record. It must be called, and its error must be rethrown.
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws

    /// Called after the record was inserted.
    mutating func didInsert(_ inserted: InsertionSuccess)

    /// Called before the record is updated.
    func willUpdate(_ db: Database, columns: Set<String>) throws

    /// Called around the update.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - columns: The updated columns.
    ///   - update: Updates the record. It must be called, and its error must be rethrown.
    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws

    /// Called after the record was updated.
    func didUpdate(_ updated: PersistenceSuccess)

    /// Called before the record is inserted or updated.
    func willSave(_ db: Database) throws

    /// Called around the insertion or update.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - save: Saves the record. It must be called, and its error must be rethrown.
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws

    /// Called after the record was inserted or updated.
    func didSave(_ saved: PersistenceSuccess)

    /// Called before the record is deleted.
    func willDelete(_ db: Database) throws

    /// Called around the deletion.
    ///
    /// - Parameters:
    ///   - db: A database connection.
    ///   - delete: Deletes the record, and returns whether there was a row. It must be called, and its error
    ///     must be rethrown.
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws

    /// Called after the record was deleted.
    ///
    /// - Parameter deleted: Whether there was a row.
    func didDelete(deleted: Bool)
}

// Empty defaults. They are inlined, so callbacks without an implementation cost nothing.
extension MutablePersistableRecord {
    /// The default policy: statements fail if they violate a constraint.
    public static var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

    /// Does nothing.
    @inlinable  // bench: insert-records
    public mutating func willInsert(_ db: Database) throws {}

    /// Inserts the record.
    @inlinable  // bench: insert-records
    public func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        _ = try insert()
    }

    /// Does nothing.
    @inlinable  // bench: insert-records
    public mutating func didInsert(_ inserted: InsertionSuccess) {}

    /// Does nothing.
    @inlinable  // bench: update-records
    public func willUpdate(_ db: Database, columns: Set<String>) throws {}

    /// Updates the record.
    @inlinable  // bench: update-records
    public func aroundUpdate(
        _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws {
        _ = try update()
    }

    /// Does nothing.
    @inlinable  // bench: update-records
    public func didUpdate(_ updated: PersistenceSuccess) {}

    /// Does nothing.
    @inlinable  // bench: insert-records
    public func willSave(_ db: Database) throws {}

    /// Saves the record.
    @inlinable  // bench: insert-records
    public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        _ = try save()
    }

    /// Does nothing.
    @inlinable  // bench: insert-records
    public func didSave(_ saved: PersistenceSuccess) {}

    /// Does nothing.
    public func willDelete(_ db: Database) throws {}

    /// Deletes the record.
    public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        _ = try delete()
    }

    /// Does nothing.
    public func didDelete(deleted: Bool) {}
}

extension MutablePersistableRecord {
    /// Returns whether the database contains a row with the primary key of the record.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, and any error of encoding the record.
    public func exists(_ db: Database) throws -> Bool {
        let plan = try SavingPlan.of(type(of: self), db)
        return try plan.exists(db, plan.encode(self))
    }

    /// Deletes the row with the primary key of the record.
    ///
    /// - Returns: Whether there was a row.
    /// - Throws: `DatabaseError`, and any error thrown by callbacks or while the record is encoded.
    @discardableResult
    public func delete(_ db: Database) throws -> Bool {
        try willDelete(db)
        var result: Bool?
        try aroundDelete(db) {
            let plan = try SavingPlan.of(type(of: self), db)
            let deleted = try plan.delete(db, plan.encode(self))
            result = deleted
            return deleted
        }
        guard let result else { throw callbackMisuse("aroundDelete") }
        didDelete(deleted: result)
        return result
    }

    /// Returns the error for an `around` callback that does not call its function or rethrow its error.
    @usableFromInline
    func callbackMisuse(_ callback: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message:
                "\(type(of: self)).\(callback) did not call the function that it receives, or did not rethrow its error"
        )
    }
}

extension TableRecord where Self: EncodableRecord {
    /// Returns the error for a record without a row in the database.
    ///
    /// ```swift
    /// guard try player.exists(db) else { throw player.recordNotFound(db) }
    /// ```
    ///
    /// If the primary key cannot be read, it returns the error of reading it.
    public func recordNotFound(_ db: Database) -> any Error {
        do {
            let table = type(of: self).databaseTableName
            let container = try PersistenceContainer(self)
            let columns = try db.primaryKey(table).columns
            let key = columns.map { ($0, container.databaseValue(of: $0)) }
            return RecordError.recordNotFound(
                databaseTableName: table, key: Dictionary(byColumn: key))
        } catch {
            return error
        }
    }
}
