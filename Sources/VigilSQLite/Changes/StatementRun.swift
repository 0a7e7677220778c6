import VigilStorage

/// The properties of a statement, and of its current run, that the change reporter needs.
struct StatementRun {
    let writes: [TableWrite]
    let isReadOnly: Bool
    let effects: UnreportedEffects
    let changesSchema: Bool
    /// Whether a transaction is open after the statement, if none was before.
    let beginsTransaction: Bool
    let alteredTables: [TableName]
    /// Whether other names than the ``alteredTables`` may now have another meaning, or views other rows.
    let redefinesNames: Bool
    /// Whether a table is created. It may hide a view of another database.
    let createsTable: Bool
    let mentionsReplace: Bool
    let isVacuum: Bool
    /// Whether the database is rebuilt in place, instead of copied to a file.
    let rebuildsDatabase: Bool

    /// The version of the metadata of the ``writes``; 0 for none.
    var metadataVersion = 0
    /// The library's own tables that the statement may change.
    var libraryTables: [TableName] = []
    /// Whether a run requires more than the reports of the row hook and of the ``libraryTables``.
    var needsWork = true
    var totalChangesBefore = 0
    var isReported = false
    /// Whether the run is part of the ``RunProgress``.
    var isCounted = false
    var hadNestedRun = false

    init(sql: String, access: StatementAccess, effects: UnreportedEffects) {
        self.effects = effects
        writes = access.writes
        isReadOnly = access.isReadOnly && access.writes.isEmpty && !access.changesSchema
        changesSchema = access.changesSchema
        switch access.transactionEffect {
        case .begin, .savepoint: beginsTransaction = true
        case .commit, .rollback, .release, .rollbackTo, nil: beginsTransaction = false
        }
        alteredTables = access.alteredTables
        let words = isReadOnly ? nil : SQLTokens(sql)
        mentionsReplace = words?.contains("REPLACE") ?? false
        redefinesNames =
            changesSchema && (words?.contains("VIEW") == true || words?.contains("RENAME") == true)
        createsTable =
            changesSchema && words?.contains("CREATE") == true && words?.contains("TABLE") == true
        isVacuum = words?.startsWith(["VACUUM"]) ?? false
        rebuildsDatabase = isVacuum && words?.contains("INTO") == false
    }

    /// Whether the statement writes to an attached database.
    var writesAttached: Bool { writes.contains { !$0.table.schema.isMainOrTemporary } }

    /// Creates the state of the current run, after the statement turned out to access more.
    init(
        sql: String, access: StatementAccess, effects: UnreportedEffects, continuing run: StatementRun
    ) {
        self.init(sql: sql, access: access, effects: effects)
        totalChangesBefore = run.totalChangesBefore
        isReported = run.isReported
        isCounted = run.isCounted
        hadNestedRun = run.hadNestedRun
    }
}

/// Changes of a statement that may happen without a call of the row hook.
struct UnreportedEffects: Equatable {
    /// The tables that the statement may truncate: all rows are deleted at once.
    var truncatedTables: Set<TableName> = []
    /// The tables analyzed by ANALYZE: statistics influence the query plan, and therefore the order of rows.
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
