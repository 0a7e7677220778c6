import Foundation

/// A chart with two logarithmic axes and one line per engine.
struct LineChart {
    struct Line {
        let engine: Engine
        let points: [(x: Double, y: Double)]
    }

    let title: String
    let lines: [Line]
    /// The labels of the horizontal axis, all of which are drawn.
    let xTicks: [(value: Double, text: String)]
    let xTitle: String
    let yText: (Double) -> String
    var hasDots = true

    private static let width = 400.0
    private static let height = 250.0
    private static let left = 54.0
    private static let right = 372.0
    private static let top = 14.0
    private static let bottom = 208.0

    /// Returns the drawing; `nil` if no line has two points.
    func svg() -> String? {
        let drawn = lines.filter { $0.points.count > 1 }
        guard !drawn.isEmpty,
            let x = LogScale(
                holding: drawn.flatMap { $0.points.map(\.x) }, from: LineChart.left, to: LineChart.right),
            let y = LogScale(
                holding: drawn.flatMap { $0.points.map(\.y) }, from: LineChart.bottom, to: LineChart.top)
        else { return nil }
        var drawing = SVG(width: LineChart.width, height: LineChart.height)
        drawAxes(x, y, into: &drawing)
        // The first engines are drawn last, on top of the others.
        for line in drawn.sorted(by: { $0.engine > $1.engine }) {
            let places = line.points.map { (x: x.position(of: $0.x), y: y.position(of: $0.y)) }
            drawing.polyline(places, class: "line \(line.engine.rawValue)")
            guard hasDots else { continue }
            for (place, point) in zip(places, line.points) {
                let title = "\(line.engine.rawValue), \(Figure.count(point.x)): \(yText(point.y))"
                drawing.dot(place.x, place.y, class: "dot \(line.engine.rawValue)", title: title)
            }
        }
        return drawing.text(label: title)
    }

    private func drawAxes(_ x: LogScale, _ y: LogScale, into drawing: inout SVG) {
        for tick in y.ticks(atMost: 7) {
            let place = y.position(of: tick)
            drawing.line(LineChart.left, place, LineChart.right, place, class: "grid")
            drawing.label(yText(tick), LineChart.left - 5, place + 4, .end)
        }
        for tick in xTicks {
            let place = x.position(of: tick.value)
            drawing.line(place, LineChart.top, place, LineChart.bottom, class: "grid")
            drawing.label(tick.text, place, LineChart.bottom + 16, .middle)
        }
        let middle = (LineChart.left + LineChart.right) / 2
        drawing.label(xTitle, middle, LineChart.bottom + 34, .middle, class: "axis")
    }
}
