import Foundation

/// A drawing. Colours and fonts come from a style sheet.
struct SVG {
    let width: Double
    let height: Double
    private(set) var elements: [String] = []

    init(width: Double, height: Double) {
        (self.width, self.height) = (width, height)
    }

    /// Returns the drawing as a file, on a background of the class `paper`.
    ///
    /// - Parameters:
    ///   - title: the name of the picture.
    ///   - description: the content of the picture in words.
    ///   - style: the style sheet.
    func file(title: String, description: String, style: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))" height="\(number(height))" viewBox="0 0 \(number(width)) \(number(height))" role="img" aria-labelledby="title description">
        <title id="title">\(escaped(title))</title>
        <desc id="description">\(escaped(description))</desc>
        <style>
        \(style)
        </style>
        <rect class="paper" x="0.5" y="0.5" width="\(number(width - 1))" height="\(number(height - 1))" rx="8"/>
        \(elements.joined(separator: "\n"))
        </svg>

        """
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, class name: String) {
        elements.append(
            "<line class=\"\(name)\" x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\"/>"
        )
    }

    mutating func polyline(_ points: [(x: Double, y: Double)], class name: String) {
        let places = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        elements.append("<polyline class=\"\(name)\" points=\"\(places)\"/>")
    }

    /// Adds a dot.
    ///
    /// - Parameter title: the text of the tooltip.
    mutating func dot(_ x: Double, _ y: Double, class name: String, title: String) {
        elements.append(
            "<circle class=\"\(name)\" cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"3\"><title>\(escaped(title))</title></circle>"
        )
    }

    enum Anchor: String { case start, middle, end }

    mutating func label(
        _ text: String, _ x: Double, _ y: Double, _ anchor: Anchor = .start, class name: String = ""
    ) {
        let style = name.isEmpty ? "" : " class=\"\(name)\""
        elements.append(
            "<text\(style) x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor.rawValue)\">\(escaped(text))</text>"
        )
    }

    private func number(_ value: Double) -> String { String(format: "%.1f", value) }
}

/// Returns the text with the special characters of XML escaped.
private func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
        .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
}
