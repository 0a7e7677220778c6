public import VigilEngine
public import VigilRegions
import VigilSQLite
public import VigilStorage

/// The changes after which an observation of a query fetches again.
///
/// ```swift
/// let explanation = try dbQueue.read { db in
///     try db.explainObservation(sql: "SELECT name FROM player WHERE score > 40 AND length(name) < 9")
/// }
/// print(explanation.region)  // player(name,score)
/// print(Array(explanation.conditions.values.joined()))  // ["score > 40"]
/// print(explanation.omissions.map(\.text))  // ["length(name) < 9"]
/// ```
///
/// `vigil explain` prints the same on the command line.
public struct ObservationExplanation: Sendable {
    /// The tables, columns and rows that the query reads.
    public let region: DatabaseRegion
    /// The conditions in the text of the query that restrict the rows of ``region``, with values in place of
    /// the parameters. A changed row counts if it meets all conditions of its table before or after the
    /// change. All rows of tables without conditions count.
    public let conditions: [TableName: [String]]
    /// The order of the result, if the last row that a fetch reads bounds the rows that count, as with
    /// `ORDER BY … LIMIT` and `MAX`.
    public let order: ResultOrder?
    /// The parts of the query's text that could restrict the rows, but do not, and the reasons.
    public let omissions: [RowConditionReport.Omission]
    /// How an observation keeps the rows up to date as a list.
    public let list: ListPlanReport
    /// How the result of aggregates or groups is kept up to date, in any observation.
    public let groups: GroupPlanReport
    /// Whether any observation keeps the rows of the ``list`` in memory, if the query is expensive: the order
    /// of rows with equal sort values is certain.
    public let keepsRows: Bool
    /// Whether each commit counts, whatever it changes, because the database does not report all changes of
    /// what the query reads. ``omissions`` then names it, with the reasons.
    public let isAnyCommit: Bool
}

extension Database {
    /// Explains which changes an observation of a query depends on. The query is compiled, not run.
    ///
    /// - Parameters:
    ///   - sql: a single statement that returns rows and changes nothing.
    ///   - arguments: the values of its parameters. Conditions depend on them.
    /// - Throws: `DatabaseError` if the text is another kind of statement, if it does not compile, or if the
    ///   arguments do not match its parameters.
    public func explainObservation(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> ObservationExplanation {
        try QueryOutline(sql).check()
        let statement = try makeStatement(sql: sql)
        guard statement.isReadonly, statement.columnCount > 0 else { throw QueryOutline.notAQuery }
        try statement.setArguments(arguments)
        let storage = try compile(sql)
        defer { storage.finalize() }
        var region = try statement.observedRegion(self)
        var isAnyCommit = false
        var others: [RowConditionReport.Omission]
        if let explaining = storage as? any ReadsExplaining {
            others = explaining.explainReads()
            region = DatabaseRegion(reading: storage.access)
            isAnyCommit =
                region.isFullDatabase
                || storage.access.reads.contains { $0.table == schemaNaming.unreportedTable }
        } else {
            if storage.rowConditions.returnsPartOfRows { region = region.union(reads: storage.orderingReads) }
            others = try NestedConditions(sql: sql, views: viewDefinitions()).omissions
        }
        var conditions = ConditionTexts(
            storage, values: statement.boundValues.map(\.storageValue),
            areUsed: configuration.ignoresNoOpUpdates
        ) {
            // A server has no row ids: they are the values of an integer primary key.
            storage is any ReadsExplaining
                ? try? self.primaryKey($0.name, in: $0.schema).columns.first : nil
        }
        conditions.omissions += others
        return ObservationExplanation(
            region: region, conditions: conditions.texts,
            order: configuration.ignoresNoOpUpdates ? storage.rowConditions.order : nil,
            omissions: conditions.omissions, list: storage.listPlan,
            groups: storage.groupPlan, keepsRows: storage.orderedSQL != nil, isAnyCommit: isAnyCommit)
    }

    /// Returns the definitions of all views, if the backend describes its schema. A temporary view hides
    /// another one of the same name.
    private func viewDefinitions() throws -> [(name: String, sql: String)] {
        guard connection is any SchemaReading else { return [] }
        return try [SchemaNaming.temporary, SchemaNaming.main].flatMap { schema in
            // The schema of a damaged file may have views without text.
            try schemaObjects(in: schema).filter { $0.kind == .view }.compactMap { view in
                view.sql.map { (name: view.name, sql: $0) }
            }
        }
    }
}

/// The conditions of a statement as text.
private struct ConditionTexts {
    private(set) var texts: [TableName: [String]] = [:]
    var omissions: [RowConditionReport.Omission]

    /// - Parameters:
    ///   - areUsed: whether observations use conditions.
    ///   - rowID: returns the column that takes the place of the row id of a table.
    init(
        _ storage: any StorageStatement, values: [StorageValue], areUsed: Bool,
        rowID: (TableName) -> String?
    ) {
        func value(_ index: Int) -> StorageValue {
            values.indices.contains(index - 1) ? values[index - 1] : .null
        }
        func text(_ condition: RowConditionTemplate, of table: TableName) -> String {
            var condition = condition
            if condition.column == .rowID, let name = rowID(table) { condition.column = .named(name) }
            return condition.text { value($0).sqlLiteral }
        }
        func isKnown(_ condition: RowConditionTemplate) -> Bool {
            condition.bound { storage.comparedValues(of: value($0), at: $0) } != nil
        }
        let report = storage.rowConditions
        let bound = storage.rowConditions(boundTo: values)
        omissions = report.omissions
        for table in report.tables {
            for condition in table.alternatives.joined() where !isKnown(condition) {
                omissions.append(
                    .init(
                        text: text(condition, of: table.table),
                        reason: "how these values compare is not certain"))
            }
            guard let used = bound[table.table] else { continue }
            let alternatives = table.alternatives.map { conditions in
                conditions.filter(isKnown).map { text($0, of: table.table) }
            }
            let all =
                alternatives.count == 1
                ? alternatives[0]
                : [alternatives.map { $0.joined(separator: " AND ") }.joined(separator: " OR ")]
            if areUsed, DatabaseRegion.isNarrowed(by: used) {
                texts[table.table] = all
            } else {
                let reason = areUsed ? Self.tooMany : "Configuration.ignoresNoOpUpdates is false"
                omissions += all.map { .init(text: $0, reason: reason) }
            }
        }
    }

    private static let tooMany = "there are more than 64 alternatives or 1,024 values"
}
