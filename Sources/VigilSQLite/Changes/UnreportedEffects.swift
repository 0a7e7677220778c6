import VigilStorage

/// Changes of a statement that may happen without a call of the row hook.
struct UnreportedEffects: Equatable {
    /// The tables that the statement may truncate, which deletes all rows at once.
    var truncatedTables: Set<TableName> = []
    /// The tables whose statistics ANALYZE collects. They influence the query plan, and therefore the order
    /// of rows.
    var analyzedTables: Set<TableName> = []
    /// Whether the statement attaches or detaches a database.
    var changesDatabases = false
    /// Whether the statement changes a value in the header of a file, such as `user_version`.
    var changesHeader = false

    mutating func formUnion(_ other: UnreportedEffects) {
        truncatedTables.formUnion(other.truncatedTables)
        analyzedTables.formUnion(other.analyzedTables)
        if other.changesDatabases { changesDatabases = true }
        if other.changesHeader { changesHeader = true }
    }
}
