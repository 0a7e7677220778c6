import VigilLists
import VigilRegions
import VigilStorage

/// The statements that fetch the rows of a list on one connection.
///
/// They belong to the statement of the request, and are planned once for it.
final class ListStatements {
    /// The plan; `nil` if the list is fetched as a whole.
    let plan: ResultPlan?
    /// The reason for which the list is fetched as a whole; empty if there is a plan.
    let refusal: String
    let listPlan: ListPlan?
    /// The revision of the accesses of the planned statement.
    let revision: Int
    /// All rows.
    let all: ListStatement?
    /// For each source that is followed, the rows with one of its rows.
    let rows: [ListStatement?]

    init(planning statement: Statement, _ db: Database) throws {
        revision = statement.storage.accessRevision
        switch statement.storage.resultPlan {
        case .refused(let reason):
            refusal = reason
            (plan, listPlan, all, rows) = (nil, nil, nil, [])
        case .plan(let plan):
            refusal = ""
            self.plan = plan
            listPlan = ListPlan(plan)
            all = ListStatement(try db.makeStatement(sql: plan.sql, isCached: true), plan)
            rows = try plan.sources.map { source in
                try source.rowSQL.map { ListStatement(try db.makeStatement(sql: $0, isCached: true), plan) }
            }
        }
    }
}

extension ListPlan {
    init(_ plan: ResultPlan) {
        self.init(
            shape: ListShape(
                sources: plan.sources.map { .init($0.table, isOptional: $0.isOptional) }, terms: plan.terms),
            followed: plan.sources.indices.filter { plan.sources[$0].rowSQL != nil },
            watched: plan.watched.map(\.table))
        roundsLargeIntegers = plan.roundsLargeIntegers
    }
}
