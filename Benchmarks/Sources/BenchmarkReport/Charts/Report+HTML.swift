extension Report {
    /// A page with tables and charts, without external resources, that also fits a phone.
    public var html: String {
        let sections = ScenarioName.allCases.compactMap(section(of:))
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Vigil: benchmark of \(escaped(date))</title>
            <style>
            \(PageStyle.sheet)
            </style>
            </head>
            <body>
            <main>
            <h1>Vigil, GRDB and C side by side</h1>
            <p class="note">\(escaped(conditions))</p>
            \(isQuick ? "<p class=\"warning\">A short run with small sizes: its times are meaningless.</p>" : "")
            <ul class="legend">\(legend)</ul>
            <h2>Budgets</h2>
            \(htmlTable(budgetTable(), class: "budgets"))
            \(sections.joined(separator: "\n"))
            <h2 id="how">How it was measured</h2>
            \(method)
            </main>
            </body>
            </html>

            """
    }

    private var conditions: String {
        """
        \(date) · \(machine.processor), \(machine.cores) cores, \(Figure.size(bytes: Double(machine.memoryBytes))) · \
        \(machine.system) · \(machine.swift) · SQLite \(machine.sqlite) · \(rounds) round\(rounds == 1 ? "" : "s") · load before and after \
        \(loads)
        """
    }

    private var legend: String {
        orderedEngines.map { engine in
            "<li><span class=\"swatch \(engine.rawValue)\"></span><b>\(engine.rawValue)</b> \(escaped(engines[engine.rawValue] ?? ""))</li>"
        }.joined(separator: "\n")
    }

    /// A short legend, repeated in each section.
    private var keys: String {
        let names = orderedEngines.map {
            "<span><span class=\"swatch \($0.rawValue)\"></span>\($0.rawValue)</span>"
        }
        return "<p class=\"keys\">\(names.joined(separator: "\n"))</p>"
    }

    private var method: String {
        """
        <p>Each round of each engine runs in a process of its own. Engines take turns within a round, so that a \
        change of the machine's speed affects all of them alike. A ratio compares two figures of one round; the \
        median, the minimum and the maximum of the ratios are reported. Figures are medians of the rounds. An \
        engine that took 20 seconds for a scenario at a size is not measured again. Percentiles cover all operations \
        of all rounds, from histograms with three significant digits. Operations are timed individually in a second \
        loop, so that figures do not include reading the clock. Fetches and callbacks are counted per operation. \
        Memory is the peak of a process's resident memory.</p>
        """
    }

    private func section(of name: ScenarioName) -> String? {
        let reports = scenarios.filter { $0.name == name }
        guard !reports.isEmpty else { return nil }
        let scenario = Scenario.named(name)
        var parts = [
            "<section id=\"\(name.rawValue)\">", "<h2>\(name.rawValue)</h2>",
            "<p>\(escaped(scenario.measures))</p>",
            "<p class=\"note\">Not included: \(escaped(scenario.leavesOut))</p>",
            "<p class=\"note\">Statements: \(escaped(scenario.statements.text)).</p>",
            "<div class=\"charts\">",
        ]
        if let chart = slopeChart(of: name) ?? barChart(of: name) {
            parts.append(
                figure(chart, "\(scenario.unit)\(slopeChart(of: name) == nil ? greatest(reports) : "")"))
        }
        if let chart = latencyChart(of: name) {
            let report = latencySize(of: name).flatMap { self.scenario(name, n: $0) }
            parts.append(figure(chart, "latencies\(greatest(report.map { [$0] } ?? []))"))
        }
        parts += ["</div>", keys, htmlTable(details(of: reports), class: "figures")]
        let absent = reports.flatMap(\.absent).map { "\($0.key): \($0.value)" }
        parts += Set(absent).sorted().map { "<p class=\"note\">\(escaped($0))</p>" }
        return (parts + ["</section>"]).joined(separator: "\n")
    }

    private func greatest(_ reports: [ScenarioReport]) -> String {
        guard let report = reports.last, report.n > 0 else { return "" }
        return ", \(Figure.count(Double(report.n))) \(Scenario.named(report.name).sizeName)"
    }

    private func figure(_ chart: String, _ caption: String) -> String {
        "<figure>\n\(chart)\n<figcaption>\(escaped(caption))</figcaption>\n</figure>"
    }
}
