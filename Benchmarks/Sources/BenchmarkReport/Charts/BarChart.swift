/// A chart with one bar per engine. Bars begin at zero.
struct BarChart {
    let title: String
    let bars: [(engine: Engine, value: Double)]
    let text: (Double) -> String

    private static let width = 400.0
    private static let left = 104.0
    private static let right = 320.0
    private static let rowHeight = 26.0

    /// Returns the drawing; `nil` if all bars are zero.
    func svg() -> String? {
        guard let greatest = bars.map(\.value).max(), greatest > 0 else { return nil }
        var drawing = SVG(width: BarChart.width, height: Double(bars.count) * BarChart.rowHeight + 6)
        for (row, bar) in bars.enumerated() {
            let y = Double(row) * BarChart.rowHeight + 5
            let length = max(bar.value, 0) / greatest * (BarChart.right - BarChart.left)
            drawing.label(bar.engine.rawValue, BarChart.left - 6, y + 13, .end)
            drawing.bar(
                x: BarChart.left, y: y, width: length, height: 18, class: "bar \(bar.engine.rawValue)")
            drawing.label(text(bar.value), BarChart.left + length + 6, y + 13)
        }
        return drawing.text(label: title)
    }
}
