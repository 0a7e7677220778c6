import Vigil

/// How an observation keeps the rows of a query up to date as a list.
struct ListReport {
    private let report: ListPlanReport

    init(_ report: ListPlanReport) {
        self.report = report
    }

    /// One line, such as `list: row by row for player; order: score descending, row id descending`. It also
    /// has the window of a query with LIMIT.
    var text: String {
        switch report {
        case .refused(let reason): "list: fetched as a whole (\(reason))"
        case .plan(let plan): "list: " + parts(plan).joined(separator: "; ")
        }
    }

    private func followed(_ plan: ListPlan) -> [String] {
        plan.sources.filter { $0.rowSQL != nil }.map(\.table.description).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// The columns whose values lead to rows, such as `message.room`.
    private func linked(_ plan: ListPlan) -> [String] {
        plan.links.map { link in
            switch link.column {
            case .rowID: "\(link.table).rowid"
            case .named(let name): "\(link.table).\(name)"
            }
        }.reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    private func order(_ plan: ListPlan) -> [String] {
        plan.termTexts + ["row id \(plan.terms.last?.isDescending == true ? "descending" : "ascending")"]
    }

    /// The numbers of a window, as integers or parameters such as `?1`.
    private func window(_ plan: ListPlan) -> (limit: String, offset: String?)? {
        func text(_ operand: RowConditionTemplate.Operand) -> String {
            switch operand {
            case .value(.integer(let number)): "\(number)"
            case .parameter(let number): "?\(number)"
            case .value, .near, .elements: "…"
            }
        }
        return plan.window.map { (text($0.limit), $0.offset.map(text)) }
    }

    private func parts(_ plan: ListPlan) -> [String] {
        var parts: [String] = []
        let followed = followed(plan)
        if !followed.isEmpty { parts.append("row by row for \(followed.joined(separator: ", "))") }
        let linked = linked(plan)
        if !linked.isEmpty { parts.append("by the values of \(linked.joined(separator: ", "))") }
        if !plan.watched.isEmpty {
            let tables = plan.watched.map { "\($0.table) (\($0.reason))" }
            parts.append("fetched as a whole after changes of \(tables.joined(separator: ", "))")
        }
        if let window = window(plan) {
            parts.append("window: \(window.limit) rows" + (window.offset.map { " behind \($0)" } ?? ""))
        }
        return parts + ["order: \(order(plan).joined(separator: ", "))"]
    }

    var json: String {
        switch report {
        case .refused(let reason): return JSONText.object([("reason", JSONText.string(reason))])
        case .plan(let plan):
            let watched = plan.watched.map {
                JSONText.object([
                    ("table", JSONText.string($0.table.description)), ("reason", JSONText.string($0.reason)),
                ])
            }
            var fields = [
                ("rowByRow", JSONText.array(followed(plan).map(JSONText.string))),
                ("watched", JSONText.array(watched)),
            ]
            let linked = linked(plan)
            if !linked.isEmpty { fields.append(("byValues", JSONText.array(linked.map(JSONText.string)))) }
            if let window = window(plan) {
                let offset = window.offset.map { [("offset", JSONText.string($0))] } ?? []
                fields.append(
                    ("window", JSONText.object([("limit", JSONText.string(window.limit))] + offset)))
            }
            return JSONText.object(fields + [("order", JSONText.array(order(plan).map(JSONText.string)))])
        }
    }
}
