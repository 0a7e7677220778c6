extension Report {
    /// The table of all figures, for a terminal.
    public var table: String { figures().text }

    /// The table of the further figures of scenarios, for a terminal; `nil` without figures.
    public var metricTable: String? {
        let engines = orderedEngines
        var table = TextTable(header: ["further figures", "n"] + engines.map(\.rawValue))
        for scenario in scenarios {
            for name in Set(scenario.engines.values.flatMap(\.metrics.keys)).sorted() {
                let values = engines.map { engine in
                    scenario.engines[engine.rawValue]?.metrics[name].map { Figure.metric($0, name: name) }
                        ?? ""
                }
                table.rows.append(
                    ["\(scenario.name.rawValue): \(name)", Figure.count(Double(scenario.n))] + values)
            }
        }
        return table.rows.isEmpty ? nil : table.text
    }

    /// The headline figures and the budgets, in Markdown.
    public var markdown: String {
        let machine =
            "\(date), \(machine.processor), \(machine.cores) cores, \(machine.system), \(machine.swift), SQLite \(machine.sqlite), \(rounds) rounds"
        var lines = ["Measured on \(machine). Load of the machine before and after: \(loads)."]
        if isQuick { lines.append("**A short run: its times are meaningless.**") }
        lines += ["", headlines().markdown, "", budgetTable().markdown]
        return lines.joined(separator: "\n") + "\n"
    }

    var loads: String { "\(Figure.ratio(machine.loadBefore)) and \(Figure.ratio(machine.loadAfter))" }

    private func figures() -> TextTable {
        let engines = orderedEngines
        var table = TextTable(
            header: ["scenario", "n"] + engines.map(\.rawValue) + ["grdb/vigil", "vigil/c", "fetches v/g"])
        for scenario in scenarios {
            table.rows.append(
                [scenario.name.rawValue, Figure.count(Double(scenario.n))]
                    + engines.map { scenario.figure(of: $0) }
                    + [scenario.ratio("grdb/vigil"), scenario.ratio("vigil/c"), scenario.fetchesOfBoth])
        }
        return table
    }

    /// The figures at the greatest size of each scenario, where the engines differ most.
    private func headlines() -> TextTable {
        let engines = orderedEngines
        var table = TextTable(header: ["", "n"] + engines.map(\.rawValue) + ["grdb/vigil", "vigil/c"])
        for name in ScenarioName.allCases {
            guard let scenario = scenarios.last(where: { $0.name == name }) else { continue }
            table.rows.append(
                ["`\(name.rawValue)`, \(scenario.unit)", Figure.count(Double(scenario.n))]
                    + engines.map { scenario.figure(of: $0) }
                    + [scenario.spread("grdb/vigil"), scenario.spread("vigil/c")])
        }
        return table
    }

    func budgetTable() -> TextTable {
        var table = TextTable(header: ["budget", "at most", "measured", ""])
        for budget in Budget.all {
            let (measured, verdict) =
                switch budget.verdict(on: self) {
                case .kept(let value): (Figure.ratio(value), "kept")
                case .missed(let value): (Figure.ratio(value), "missed")
                case .open: ("–", "not measured")
                }
            table.rows.append([
                budget.text, (budget.isStrict ? "less than " : "") + Figure.count(budget.limit), measured,
                verdict,
            ])
        }
        return table
    }

    /// The table of budgets, for a terminal.
    public var budgets: String { budgetTable().text }

    /// A line for each missed budget.
    public var missedBudgets: [String] {
        Budget.all.compactMap { budget in
            guard case .missed(let value) = budget.verdict(on: self) else { return nil }
            return "\(budget.text): \(Figure.ratio(value)), at most \(Figure.count(budget.limit))"
        }
    }

    /// A line for each number of fetches or callbacks that differs from the expectation.
    public var wrongCounts: [String] {
        CountExpectation.all.flatMap { $0.failures(in: self) }
    }

    /// A line for each scenario without a result of Vigil or of GRDB, although no server is necessary and
    /// both have the feature.
    public var missingResults: [String] {
        scenarios.flatMap { scenario -> [String] in
            let name = scenario.name.rawValue
            if name.hasPrefix("server-") { return [] }
            let isOfVigil = name.hasPrefix("foreign-") || scenario.name == .streamMemory
            return (isOfVigil ? [Engine.vigil] : [.vigil, .grdb]).compactMap { engine in
                scenario.absent[engine.rawValue].map { reason in
                    "\(name) n=\(scenario.n) \(engine.rawValue): \(reason)"
                }
            }
        }
    }
}

extension ScenarioReport {
    func figure(of engine: Engine) -> String {
        if let figures = engines[engine.rawValue] { return Figure.text(figures.median, unit: unit) }
        return absent[engine.rawValue] == nil ? "" : "–"
    }

    func ratio(_ name: String) -> String { ratios[name].map { Figure.ratio($0.median) } ?? "" }

    /// The median ratio, followed by the minimum and the maximum.
    func spread(_ name: String) -> String {
        ratios[name].map {
            "\(Figure.ratio($0.median)) (\(Figure.ratio($0.min))–\(Figure.ratio($0.max)))"
        } ?? "–"
    }

    var fetchesOfBoth: String {
        func fetches(_ engine: Engine) -> String {
            engines[engine.rawValue]?.fetches.map(Figure.count) ?? "–"
        }
        let both = [fetches(.vigil), fetches(.grdb)]
        return both == ["–", "–"] ? "" : both.joined(separator: " / ")
    }
}
