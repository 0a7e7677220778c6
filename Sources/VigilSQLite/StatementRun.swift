import VigilStorage

/// What the change reporter knows about a statement, and about its current run.
struct StatementRun {
    let writes: [TableWrite]
    let isReadOnly: Bool
    let effects: UnreportedEffects
    let changesSchema: Bool
    /// Whether a transaction is open after it, if none was before.
    let beginsTransaction: Bool
    let alteredTables: [TableName]
    /// Whether names may mean other tables, or views other rows, than ``alteredTables`` tell.
    let redefinesNames: Bool
    let mentionsReplace: Bool
    let isVacuum: Bool
    /// Whether the database itself is rebuilt, rather than copied to a file.
    let rebuildsDatabase: Bool

    /// For which state of the schema the facts about ``writes`` were looked up; 0 for none.
    var factsVersion = 0
    /// The library's own tables that it may change.
    var libraryTables: [TableName] = []
    /// Whether a run is more than what the row hook tells by itself.
    var needsWork = true
    var totalChangesBefore = 0
    var isReported = false
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
        isVacuum = words?.startsWith(["VACUUM"]) ?? false
        rebuildsDatabase = isVacuum && words?.contains("INTO") == false
    }

    /// The same run, after it turned out that the statement touches more.
    init(
        sql: String, access: StatementAccess, effects: UnreportedEffects, continuing run: StatementRun
    ) {
        self.init(sql: sql, access: access, effects: effects)
        totalChangesBefore = run.totalChangesBefore
        isReported = run.isReported
        hadNestedRun = run.hadNestedRun
    }
}
