extension Report {
    /// Returns a table with a row for each size and engine of a scenario.
    func details(of reports: [ScenarioReport]) -> TextTable {
        let latencies = reports.contains { report in report.engines.values.contains { $0.latency != nil } }
        let counts = reports.contains { report in report.engines.values.contains { $0.fetches != nil } }
        var table = TextTable(
            header: ["engine", "n", "median", "min – max", "÷ vigil"]
                + (latencies ? ["p50", "p99", "p99.9", "max"] : [])
                + (counts ? ["fetches", "callbacks"] : []) + ["peak memory"])
        for report in reports {
            for engine in orderedEngines {
                guard let figures = report.engines[engine.rawValue] else { continue }
                table.rows.append(
                    [engine.rawValue, Figure.count(Double(report.n))] + values(figures, report)
                        + [quotient(engine, report)] + (latencies ? percentiles(figures) : [])
                        + (counts ? [count(figures.fetches), count(figures.notifications)] : [])
                        + [Figure.size(bytes: Double(figures.peakBytes))])
                table.rows += figures.metrics.sorted { $0.key < $1.key }.map { metric in
                    let value = Figure.metric(metric.value, name: metric.key)
                    let cells = ["", "", value, metric.key]
                    return cells + table.header.dropFirst(cells.count).map { _ in "" }
                }
            }
        }
        return table
    }

    private func values(_ figures: EngineReport, _ report: ScenarioReport) -> [String] {
        [
            Figure.text(figures.median, unit: report.unit),
            "\(Figure.text(figures.min, unit: report.unit)) – \(Figure.text(figures.max, unit: report.unit))",
        ]
    }

    /// Returns the ratio of an engine's figure to Vigil's.
    private func quotient(_ engine: Engine, _ report: ScenarioReport) -> String {
        guard let vigil = report.engines[Engine.vigil.rawValue], engine != .vigil,
            let figures = report.engines[engine.rawValue],
            let ratio = Spread(ofRatios: figures.rounds, over: vigil.rounds)
        else { return "" }
        return Figure.ratio(ratio.median)
    }

    private func percentiles(_ figures: EngineReport) -> [String] {
        guard let latency = figures.latency else { return ["", "", "", ""] }
        return [latency.p50, latency.p99, latency.p999, latency.max].map(Figure.duration(nanoseconds:))
    }

    private func count(_ value: Double?) -> String { value.map(Figure.count) ?? "" }

    /// Returns a table in HTML. A table that is wider than the page scrolls separately.
    func htmlTable(_ table: TextTable, class name: String) -> String {
        func row(_ cells: [String], _ tag: String) -> String {
            "<tr>" + cells.map { "<\(tag)\(verdictClass($0))>\(escaped($0))</\(tag)>" }.joined() + "</tr>"
        }
        let body = table.rows.map { cells in
            cells[0].isEmpty ? metricRow(cells) : row(cells, "td")
        }
        return """
            <div class="scroll"><table class="\(name)">
            <thead>\(row(table.header, "th"))</thead>
            <tbody>
            \(body.joined(separator: "\n"))
            </tbody>
            </table></div>
            """
    }

    private func verdictClass(_ cell: String) -> String {
        ["kept", "missed"].contains(cell) ? " class=\"\(cell)\"" : ""
    }

    /// Returns a row with a further measurement of the engine in the row above.
    private func metricRow(_ cells: [String]) -> String {
        "<tr class=\"metric\"><td></td><td></td><td>\(escaped(cells[2]))</td><td class=\"name\" colspan=\"\(cells.count - 3)\">\(escaped(cells[3]))</td></tr>"
    }
}
