import VigilStorage

/// What a statement may do without a call of the row hook.
struct UnreportedEffects: Equatable {
    /// The tables that it may truncate: whose rows it may delete all at once.
    var truncatedTables: Set<TableName> = []
    /// The tables whose statistics ANALYZE collects. They decide how queries are run, and so in which order rows come.
    var analyzedTables: Set<TableName> = []
    /// Whether it attaches or detaches a database.
    var changesDatabases = false

    mutating func formUnion(_ other: UnreportedEffects) {
        truncatedTables.formUnion(other.truncatedTables)
        analyzedTables.formUnion(other.analyzedTables)
        if other.changesDatabases { changesDatabases = true }
    }
}
