import VigilStorage

/// The statements that fetch the rows of a list on one connection.
///
/// They belong to the statement of the request, and are planned once for it.
final class ListQuery {
    let report: ListPlanReport
    /// The revision of the accesses of the planned statement.
    let revision: Int
    /// All rows; `nil` without a plan.
    let all: KeyedStatement?
    /// For each followed source, the rows with one of its rows.
    let rows: [KeyedStatement?]
    /// The rows found by values; `nil` without links.
    let links: LinkSearch?

    /// Whether the changed rows of a table are looked up.
    var followsRows: Bool { rows.contains { $0 != nil } }

    init(planning statement: Statement, _ db: Database) throws {
        revision = statement.storage.accessRevision
        report = statement.storage.listPlan
        guard case .plan(let plan) = report else {
            (all, rows, links) = (nil, [], nil)
            return
        }
        all = KeyedStatement(try db.makeStatement(sql: plan.sql, isCached: true), plan)
        rows = try plan.sources.map { source in
            try source.rowSQL.map { KeyedStatement(try db.makeStatement(sql: $0, isCached: true), plan) }
        }
        links = try LinkSearch(plan, db)
    }
}
