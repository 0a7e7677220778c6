import VigilLists
import VigilRegions
import VigilStorage

/// How a list is kept up to date.
///
/// An object, because each version of a list refers to it.
final class ListPlanning: Sendable {
    /// The plan; `nil` if the list is fetched as a whole.
    let plan: ResultPlan?
    /// The plan of the list machine.
    let listPlan: ListPlan?
    /// The reason for which the list is fetched as a whole; empty if there is a plan.
    let refusal: String

    /// The planning of requests whose elements contain rows that their statement does not fetch.
    static let prefetching = ListPlanning(.refused("it prefetches associated rows"))

    init(_ report: ResultPlanReport) {
        switch report {
        case .refused(let reason): (plan, listPlan, refusal) = (nil, nil, reason)
        case .plan(let plan): (self.plan, listPlan, refusal) = (plan, ListPlan(plan), "")
        }
    }

    func isEqual(to other: ListPlanning) -> Bool { self === other || plan == other.plan }
}

/// The statements that fetch the rows of a list on one connection.
///
/// They belong to the statement of the request, and are planned once for it.
final class ListStatements {
    let planning: ListPlanning
    /// The revision of the accesses of the planned statement.
    let revision: Int
    /// All rows; `nil` if there is no plan.
    let all: ListStatement?
    /// For each source that is followed, the rows with one of its rows.
    let rows: [ListStatement?]

    init(planning statement: Statement, _ db: Database) throws {
        revision = statement.storage.accessRevision
        planning = ListPlanning(statement.storage.resultPlan)
        guard let plan = planning.plan else {
            (all, rows) = (nil, [])
            return
        }
        all = ListStatement(try db.makeStatement(sql: plan.sql, isCached: true), plan)
        rows = try plan.sources.map { source in
            try source.rowSQL.map { ListStatement(try db.makeStatement(sql: $0, isCached: true), plan) }
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
