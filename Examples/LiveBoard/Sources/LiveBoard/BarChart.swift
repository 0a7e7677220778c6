/// A chart of horizontal bars, as SVG without scripts.
struct BarChart {
    struct Bar {
        var name: String
        var meters: Int
        var runs: Int
    }

    private static let width = 640
    private static let rowHeight = 40
    private static let barStart = 140
    private static let barSpace = 420
    private static let longestLabel = 15

    var bars: [Bar]

    var svg: HTML {
        guard let longest = bars.map(\.meters).max(), longest > 0 else {
            return "<p class=\"empty\">No runs yet.</p>"
        }
        let height = bars.count * Self.rowHeight
        return """
            <svg id="chart" viewBox="0 0 \(Self.width) \(height)" role="img" aria-label="\(text)">\
            \(bars.enumerated().map { index, bar in row(bar, index, longest) })</svg>
            """
    }

    /// The chart as text, for screen readers.
    private var text: String {
        "Kilometers per runner: "
            + bars.map { "\($0.name) \(Page.kilometers($0.meters))" }.joined(separator: ", ")
    }

    private func row(_ bar: Bar, _ index: Int, _ longest: Int) -> HTML {
        let top = index * Self.rowHeight
        let width = max(4, bar.meters * Self.barSpace / longest)
        let middle = top + Self.rowHeight / 2
        return """
            <g data-name="\(bar.name)"><title>\(bar.name): \(Page.kilometers(bar.meters)) km in \(bar.runs) \
            \(bar.runs == 1 ? "run" : "runs")</title>\
            <text class="label" x="\(Self.barStart - 12)" y="\(middle)">\(label(bar.name))</text>\
            <rect class="bar" x="\(Self.barStart)" y="\(top + 8)" width="\(width)" height="\(Self.rowHeight - 16)" rx="5"/>\
            <text class="value" x="\(Self.barStart + width + 10)" y="\(middle)">\(Page.kilometers(bar.meters))</text></g>
            """
    }

    private func label(_ name: String) -> String {
        name.count <= Self.longestLabel ? name : name.prefix(Self.longestLabel - 1) + "…"
    }
}
