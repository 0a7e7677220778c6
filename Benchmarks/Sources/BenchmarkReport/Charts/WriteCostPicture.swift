import Foundation

extension Report {
    /// A drawing of the cost of one write against the number of observations, on logarithmic axes, as an SVG
    /// file; `nil` if the report does not have the scenarios.
    public var writeCostPicture: String? { WriteCostPicture(report: self).svg() }
}

/// A picture of two panels with a common vertical axis: writes that no observation matches, and writes that
/// one matches.
private struct WriteCostPicture {
    let report: Report

    private struct Panel {
        let scenario: ScenarioName
        let title: String
        let left: Double
    }

    private static let panels = [
        Panel(scenario: .unrelatedWrites, title: "A write that matches no observation", left: 74),
        Panel(scenario: .oneRowHit, title: "A write that matches one observation", left: 436),
    ]
    private static let names: [(engine: Engine, name: String)] = [
        (.grdb, "GRDB"), (.vigil, "Vigil"), (.c, "SQLite"),
    ]
    private static let (width, height) = (780.0, 392.0)
    private static let (panelWidth, top, bottom) = (232.0, 78.0, 296.0)

    private struct Line {
        let engine: Engine
        let name: String
        let points: [(n: Double, cost: Double)]
    }

    func svg() -> String? {
        let drawn = Self.panels.map { lines(of: $0.scenario) }
        guard drawn.allSatisfy({ $0.contains { $0.engine == .vigil } && $0.contains { $0.engine == .grdb } }),
            let y = LogScale(
                holding: drawn.joined().flatMap { $0.points.map(\.cost) }, from: Self.bottom, to: Self.top)
        else { return nil }
        var drawing = SVG(width: Self.width, height: Self.height)
        drawing.label("The cost of one write", 24, 36, class: "title")
        for (panel, lines) in zip(Self.panels, drawn) { draw(panel, lines, y, into: &drawing) }
        drawing.label(run, 24, Self.height - 18, class: "axis")
        return drawing.file(
            title: "The cost of one write against the number of observations, for Vigil and GRDB",
            description: description(drawn), style: Self.style)
    }

    private func lines(of name: ScenarioName) -> [Line] {
        Self.names.compactMap { engine, title in
            let points = report.scenarios.filter { $0.name == name && $0.n > 0 }.compactMap { scenario in
                scenario.engines[engine.rawValue].map { (n: Double(scenario.n), cost: $0.median) }
            }
            return points.count > 1 ? Line(engine: engine, name: title, points: points) : nil
        }
    }

    private func draw(_ panel: Panel, _ lines: [Line], _ y: LogScale, into drawing: inout SVG) {
        let right = panel.left + Self.panelWidth
        guard let x = LogScale(holding: lines.flatMap { $0.points.map(\.n) }, from: panel.left, to: right)
        else {
            return
        }
        drawing.label(panel.title, panel.left, Self.top - 14)
        for tick in y.ticks(atMost: 10) {
            let place = y.position(of: tick)
            drawing.line(panel.left, place, right, place, class: "grid")
            drawing.label(
                axis(tick), panel.left - 8, place + 4.5, .end, class: "axis")
        }
        for tick in x.ticks(atMost: 5) {
            drawing.label(
                Figure.count(tick), x.position(of: tick), Self.bottom + 20, .middle, class: "axis")
        }
        drawing.label("live observations", (panel.left + right) / 2, Self.bottom + 42, .middle, class: "axis")
        for line in lines.reversed() {
            let places = line.points.map { (x: x.position(of: $0.n), y: y.position(of: $0.cost)) }
            drawing.polyline(places, class: "line \(line.engine.rawValue)")
            for (place, point) in zip(places, line.points) {
                let title =
                    "\(line.name), \(Figure.count(point.n)): \(Figure.duration(nanoseconds: point.cost))"
                drawing.dot(place.x, place.y, class: "dot \(line.engine.rawValue)", title: title)
            }
        }
        drawNames(of: lines, x, y, into: &drawing)
    }

    /// Writes names and figures next to the ends of the lines, from the lowest line up, and moves a name up
    /// if it would overlap the one below it.
    private func drawNames(of lines: [Line], _ x: LogScale, _ y: LogScale, into drawing: inout SVG) {
        let lineHeight = 16.0
        var free = Double.infinity
        for line in lines.sorted(by: { ($0.points.last?.cost ?? 0) < ($1.points.last?.cost ?? 0) }) {
            guard let last = line.points.last else { continue }
            // The lower bound has no figure of its own.
            let texts = [line.name] + (line.engine == .c ? [] : [Figure.duration(nanoseconds: last.cost)])
            let height = Double(texts.count) * lineHeight
            let bottom = min(y.position(of: last.cost) + height / 2, free)
            free = bottom - height - 2
            for (index, text) in texts.enumerated() {
                let baseline = bottom - Double(texts.count - index - 1) * lineHeight - 4
                drawing.label(
                    text, x.position(of: last.n) + 12, baseline, class: "name \(line.engine.rawValue)")
            }
        }
    }

    /// Returns the label of a power of ten on an axis: `10 µs`, not `10.0 µs`.
    private func axis(_ nanoseconds: Double) -> String {
        Figure.duration(nanoseconds: nanoseconds).replacing(#/\.0+ /#, with: " ")
    }

    /// The run that the figures come from.
    private var run: String {
        let machine = report.machine
        return
            "\(report.isQuick ? "A short run, whose times are meaningless. " : "")\(report.date), medians of \(report.rounds) rounds · \(machine.processor), \(machine.cores) cores · SQLite \(machine.sqlite), in memory · GRDB 7.10"
    }

    /// Returns the figures at the ends of the lines, in words.
    private func description(_ lines: [[Line]]) -> String {
        let panels = zip(Self.panels, lines).map { panel, lines in
            let figures = lines.compactMap { line -> String? in
                guard let first = line.points.first, let last = line.points.last else { return nil }
                return
                    "\(line.name) \(Figure.duration(nanoseconds: first.cost)) with \(Figure.count(first.n)) and \(Figure.duration(nanoseconds: last.cost)) with \(Figure.count(last.n))"
            }
            return "\(panel.title): \(figures.joined(separator: "; "))."
        }
        return "\(panels.joined(separator: " ")) Both axes are logarithmic. \(run)."
    }

    /// The style sheet, without variables: not all programs that draw SVG files support them.
    private static let style = """
        text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1d2327; }
        .title { font-size: 17px; font-weight: 600; }
        .axis { font-size: 12px; fill: #5c666e; }
        .name { font-weight: 600; }
        .paper { fill: #ffffff; stroke: #d5dadd; }
        .grid { stroke: #e4e8ea; }
        .line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
        .line.vigil { stroke: #0a6e5c; } .line.grdb { stroke: #c2500d; }
        .line.c { stroke: #5c666e; stroke-width: 1.5; stroke-dasharray: 4 4; }
        .dot.vigil, .name.vigil { fill: #0a6e5c; } .dot.grdb, .name.grdb { fill: #c2500d; }
        .dot.c, .name.c { fill: #5c666e; }
        .name.c { font-weight: 400; font-size: 12px; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6eaec; } .axis { fill: #a3adb4; }
          .paper { fill: #14181b; stroke: #343c42; } .grid { stroke: #2a3136; }
          .line.vigil { stroke: #40c9ad; } .line.grdb { stroke: #ff9457; } .line.c { stroke: #a3adb4; }
          .dot.vigil, .name.vigil { fill: #40c9ad; } .dot.grdb, .name.grdb { fill: #ff9457; }
          .dot.c, .name.c { fill: #a3adb4; }
        }
        """
}
