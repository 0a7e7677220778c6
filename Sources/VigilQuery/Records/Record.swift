public import VigilEngine
import VigilRegions
import VigilStorage

/// A base class for records that remember their values in the database.
///
/// It exists for programs with classes derived from GRDB's class of this name. Prefer structs with
/// ``PersistableRecord``, and ``MutablePersistableRecord/updateChanges(_:onConflict:modify:)``.
///
/// ```swift
/// class Player: Record {
///     var id: Int64?
///     var name: String
///
///     override class var databaseTableName: String { "player" }
///
///     required init(row: Row) throws {
///         id = row["id"]
///         name = row["name"]
///         try super.init(row: row)
///     }
///
///     override func encode(to container: inout PersistenceContainer) throws {
///         container["id"] = id
///         container["name"] = name
///     }
///
///     override func didInsert(_ inserted: InsertionSuccess) {
///         super.didInsert(inserted)
///         id = inserted.rowID
///     }
/// }
///
/// player.name = "Barbara"
/// player.hasDatabaseChanges           // true
/// try player.databaseChanges["name"]  // "Arthur"
/// try player.updateChanges(db)        // UPDATE player SET name = 'Barbara' WHERE id = 1
/// ```
open class Record {
    /// The values of the columns in the database; `nil` if the record was neither fetched nor saved.
    private enum Reference {
        case row(Row)
        case container(PersistenceContainer)

        subscript(_ column: String) -> DatabaseValue? {
            switch self {
            case .row(let row): row.index(ofColumn: column).map { row.databaseValue(at: $0) }
            case .container(let container): container[column]?.databaseValue
            }
        }
    }

    private var reference: Reference?

    /// Creates a record with changes in all columns.
    public init() {}

    /// Creates a record from a row. If the row was fetched, the record has no changes until it is modified.
    public required init(row: Row) throws {
        if row.isFetched { reference = .row(row.copy()) }
    }

    // MARK: - Overridden by subclasses

    /// The name of the table. Subclasses must override it.
    open class var databaseTableName: String {
        trap("\(self) does not override databaseTableName")
    }

    /// How constraint violations are resolved. By default, saving fails.
    open class var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

    /// The selection of requests. By default, it is all columns.
    open class var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    /// Sets the columns of the record. By default, there are none, and the record cannot be saved.
    open func encode(to container: inout PersistenceContainer) throws {}

    // MARK: - Changes

    /// Whether the record differs from its row, as of the last fetch or save. Columns never fetched differ.
    ///
    /// It is `true` if the record cannot be encoded.
    public var hasDatabaseChanges: Bool {
        do {
            return try !changes().isEmpty
        } catch {
            return true
        }
    }

    /// The columns changed since the record was fetched or last saved, with their old values; `nil` for an
    /// unknown value.
    ///
    /// - Throws: Any error thrown while the record is encoded.
    public var databaseChanges: [String: DatabaseValue?] {
        get throws { try Dictionary(byColumn: changes()) }
    }

    private func changes() throws -> [(String, DatabaseValue?)] {
        try PersistenceContainer(self).compactMap { column, value in
            guard let old = reference?[column] else { return (column, nil) }
            return value == old ? nil : (column, old)
        }
    }

    /// Updates the columns changed since the record was fetched or last saved.
    ///
    /// - Returns: Whether there were changes. If not, no statement runs.
    /// - Throws: See ``MutablePersistableRecord/updateChanges(_:onConflict:modify:)``.
    @discardableResult
    public final func updateChanges(_ db: Database) throws -> Bool {
        let columns = try changes().map(\.0)
        guard !columns.isEmpty else { return false }
        try update(db, columns: columns)
        return true
    }

    // MARK: - Callbacks

    /// Called before the record is inserted.
    open func willInsert(_ db: Database) throws {}

    /// Inserts the record, and clears its changes. Overrides must call `super`.
    open func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        reference = .container(try insert().persistenceContainer)
    }

    /// Called after the record was inserted.
    open func didInsert(_ inserted: InsertionSuccess) {}

    /// Called before the record is updated.
    open func willUpdate(_ db: Database, columns: Set<String>) throws {}

    /// Updates the record, and clears the changes of the updated columns. Overrides must call `super`.
    open func aroundUpdate(
        _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws {
        let updated = try update().persistenceContainer
        // The row was found by its key.
        let keyColumns = try SavingPlan.of(type(of: self), db).primaryKey.columns
        let names = Set((keyColumns + columns).map { ColumnName($0) })
        var stored = PersistenceContainer()
        for (column, value) in updated {
            if names.contains(ColumnName(column)) {
                stored.set(column, value)
            } else if let old = reference?[column] {
                stored.set(column, old)
            }
        }
        reference = .container(stored)
    }

    /// Called after the record was updated.
    open func didUpdate(_ updated: PersistenceSuccess) {}

    /// Called before the record is inserted or updated.
    open func willSave(_ db: Database) throws {}

    /// Saves the record. Overrides must call `super`.
    open func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        _ = try save()
    }

    /// Called after the record was inserted or updated.
    open func didSave(_ saved: PersistenceSuccess) {}

    /// Called before the record is deleted.
    open func willDelete(_ db: Database) throws {}

    /// Deletes the record. Afterwards, it has changes in all columns. Overrides must call `super`.
    open func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        _ = try delete()
        reference = nil
    }

    /// Called after the record was deleted.
    open func didDelete(deleted: Bool) {}
}

extension Record: TableRecord {}
extension Record: PersistableRecord {}
extension Record: FetchableRecord {}

// Saving modifies the instance, without synchronization.
@available(*, unavailable)
extension Record: Sendable {}
