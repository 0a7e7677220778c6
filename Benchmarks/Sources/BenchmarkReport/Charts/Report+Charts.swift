extension Report {
    /// Returns a chart of a scenario's figures by size; `nil` if it has fewer than two sizes above 0.
    func slopeChart(of name: ScenarioName) -> String? {
        let reports = scenarios.filter { $0.name == name && $0.n > 0 }
        guard reports.count > 1 else { return nil }
        let unit = Scenario.named(name).unit
        return LineChart(
            title: "\(name.rawValue): \(unit) by \(Scenario.named(name).sizeName)",
            lines: orderedEngines.map { engine in
                LineChart.Line(
                    engine: engine,
                    points: reports.compactMap { report in
                        report.engines[engine.rawValue].map { (Double(report.n), $0.median) }
                    })
            },
            xTicks: reports.map { (Double($0.n), Figure.count(Double($0.n))) },
            xTitle: Scenario.named(name).sizeName, yText: { Figure.axis($0, unit: unit) }
        ).svg()
    }

    /// Returns a chart of a scenario's figures at its greatest size.
    func barChart(of name: ScenarioName) -> String? {
        guard let report = scenarios.last(where: { $0.name == name }) else { return nil }
        let bars = orderedEngines.compactMap { engine in
            report.engines[engine.rawValue].map { (engine, $0.median) }
        }
        return BarChart(title: "\(name.rawValue): \(report.unit)", bars: bars) {
            Figure.text($0, unit: report.unit)
        }.svg()
    }

    /// Returns the greatest size at which each measured engine has at least 100 latencies; `nil` if there is none.
    func latencySize(of name: ScenarioName) -> Int? {
        guard Scenario.named(name).hasLatencies else { return nil }
        return scenarios.last { scenario in
            scenario.name == name && !scenario.engines.isEmpty
                && scenario.engines.values.allSatisfy { ($0.latency?.count ?? 0) >= 100 }
        }?.n
    }

    /// Returns a chart of the distribution of latencies by percentile, with an axis that widens towards 100.
    func latencyChart(of name: ScenarioName) -> String? {
        guard let size = latencySize(of: name), let report = scenario(name, n: size) else { return nil }
        let lines = orderedEngines.compactMap { engine -> LineChart.Line? in
            guard let curve = report.engines[engine.rawValue]?.latency?.curve else { return nil }
            return LineChart.Line(
                engine: engine,
                points: curve.filter { $0[0] < 100 && $0[1] > 0 }.map { (100 / (100 - $0[0]), $0[1]) })
        }
        let rarest = lines.flatMap { $0.points.map(\.x) }.max() ?? 1
        let ticks: [(Double, String)] = [
            (1, "0"), (10, "90"), (100, "99"), (1_000, "99.9"), (10_000, "99.99"), (100_000, "99.999"),
        ]
        return LineChart(
            title: "\(name.rawValue): latencies", lines: lines,
            xTicks: ticks.filter { $0.0 <= max(rarest * 10, 10) / 1.001 }, xTitle: "percentile",
            yText: { Figure.axis($0, unit: "ns") }, hasDots: false
        ).svg()
    }
}

extension Figure {
    /// Returns the label of a power of ten on an axis: `10 µs`, not `10.0 µs`.
    static func axis(_ value: Double, unit: String) -> String {
        let parts = text(value, unit: unit).split(separator: " ")
        let number = parts[0].contains(".") ? trimmed(parts[0]) : parts[0]
        return ([number] + parts.dropFirst()).joined(separator: " ")
    }

    private static func trimmed(_ number: Substring) -> Substring {
        var number = number
        while number.last == "0" { number.removeLast() }
        if number.last == "." { number.removeLast() }
        return number
    }
}
