public import VigilEngine

/// The columns that refer to the primary key of another table: what
/// ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)`` adds.
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

    /// Refuses `NULL` in the columns.
    ///
    /// - Parameter conflictResolution: what happens otherwise; the statement fails if it is `nil`.
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        notNullConflictResolution = conflictResolution ?? .abort
        return self
    }

    /// Lets only one row refer to the same row.
    @discardableResult
    public func unique() -> Self {
        indexing = .unique
        return self
    }
}

// The definition is built in one closure.
@available(*, unavailable)
extension ForeignKeyDefinition: Sendable {}
