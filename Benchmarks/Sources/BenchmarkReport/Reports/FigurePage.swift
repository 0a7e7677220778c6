import Foundation

/// A page with figures between two marks.
public enum FigurePage {
    static let begin = "<!-- figures: begin -->"
    static let end = "<!-- figures: end -->"

    /// Returns whether a page has both marks, in this order.
    public static func hasMarks(_ page: String) -> Bool {
        page.range(of: begin).flatMap { page[$0.upperBound...].range(of: end) } != nil
    }

    /// Returns the page with the figures between its marks replaced. A page without both marks is replaced
    /// entirely.
    public static func replacing(_ page: String, with figures: String) -> String {
        guard let first = page.range(of: begin),
            let last = page[first.upperBound...].range(of: end)
        else { return figures }
        return page[..<first.upperBound] + "\n" + figures + page[last.lowerBound...]
    }
}
