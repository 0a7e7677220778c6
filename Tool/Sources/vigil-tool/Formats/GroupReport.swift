import Vigil

/// How the result of a query is kept up to date in any observation.
struct GroupReport {
    private let report: GroupPlanReport
    /// The rows that are kept, if there are no groups.
    private let rows: ListPlan?

    /// Returns `nil` unless the query has aggregates or groups, or rows that are kept.
    init?(_ report: GroupPlanReport, list: ListPlanReport, keepsRows: Bool) {
        if case .plan(let plan) = list, keepsRows { rows = plan } else { rows = nil }
        if case .refused = report, rows == nil {
            guard case .refused(let reason) = list,
                ["it has GROUP BY", "it has DISTINCT", "it has the aggregate"].contains(where: {
                    reason.hasPrefix($0)
                })
            else { return nil }
        }
        self.report = report
    }

    /// One line, such as `result: groups, row by row for player; kept: COUNT(*), SUM`.
    var text: String {
        switch report {
        case .refused(let reason):
            rows.map { "result: rows, row by row for " + tables($0).joined(separator: ", ") }
                ?? "result: fetched as a whole (\(reason))"
        case .plan(let plan):
            "result: \(plan.groups == nil ? "one row" : "groups"), row by row for "
                + tables(plan.contributions).joined(separator: ", ") + kept(plan)
        }
    }

    private func tables(_ plan: ListPlan) -> [String] {
        plan.sources.map(\.table.description).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    private func kept(_ plan: GroupPlan) -> String {
        plan.aggregates.isEmpty
            ? "" : "; kept: " + plan.aggregates.map { Self.name($0.function) }.joined(separator: ", ")
    }

    private static func name(_ function: GroupPlan.Aggregate.Function) -> String {
        switch function {
        case .countAll: "COUNT(*)"
        case .count: "COUNT"
        case .countDistinct: "COUNT(DISTINCT)"
        case .sum: "SUM"
        case .total: "TOTAL"
        case .average: "AVG"
        case .minimum: "MIN"
        case .maximum: "MAX"
        }
    }

    var json: String {
        switch report {
        case .refused(let reason):
            guard let rows else { return JSONText.object([("reason", JSONText.string(reason))]) }
            return JSONText.object([("rowByRow", JSONText.array(tables(rows).map(JSONText.string)))])
        case .plan(let plan):
            return JSONText.object([
                ("rowByRow", JSONText.array(tables(plan.contributions).map(JSONText.string))),
                ("kept", JSONText.array(plan.aggregates.map { JSONText.string(Self.name($0.function)) })),
            ])
        }
    }
}
