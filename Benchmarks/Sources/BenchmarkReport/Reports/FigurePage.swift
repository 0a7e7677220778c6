import Foundation

/// A page in which figures stand between two marks.
public enum FigurePage {
    static let begin = "<!-- figures: begin -->"
    static let end = "<!-- figures: end -->"

    /// The page with other figures; what is outside of the marks stays. A page without both marks is replaced as a whole.
    public static func replacing(_ page: String, with figures: String) -> String {
        guard let first = page.range(of: begin),
            let last = page[first.upperBound...].range(of: end)
        else { return figures }
        return page[..<first.upperBound] + "\n" + figures + page[last.lowerBound...]
    }
}
