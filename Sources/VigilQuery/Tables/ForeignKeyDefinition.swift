public import VigilEngine

/// The columns of a foreign key to the primary key of another table, added by
/// ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)``.
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.belongsTo("team", onDelete: .cascade).notNull()
/// }
/// ```
public final class ForeignKeyDefinition {
    enum Indexing { case index, unique }

    let name: String
    let table: String?
    let deleteAction: Database.ForeignKeyAction?
    let updateAction: Database.ForeignKeyAction?
    let isDeferred: Bool
    private(set) var indexing: Indexing?
    private(set) var notNullConflictResolution: Database.ConflictResolution?

    init(name: String, reference: ForeignKeyReference, isNamed: Bool, isIndexed: Bool) {
        self.name = name
        table = isNamed ? reference.table : nil
        deleteAction = reference.deleteAction
        updateAction = reference.updateAction
        isDeferred = reference.isDeferred
        indexing = isIndexed ? .index : nil
    }

    /// Adds a `NOT NULL` constraint to each column.
    ///
    /// - Parameter conflictResolution: how to resolve a violation. If `nil`, the statement fails.
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        notNullConflictResolution = conflictResolution ?? .abort
        return self
    }

    /// Makes the foreign key unique: at most one row refers to each row of the other table.
    @discardableResult
    public func unique() -> Self {
        indexing = .unique
        return self
    }
}

// A definition is used by one closure on one thread.
@available(*, unavailable)
extension ForeignKeyDefinition: Sendable {}
