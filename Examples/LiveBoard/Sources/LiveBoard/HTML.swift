/// A fragment of HTML. Interpolated strings are escaped; interpolated fragments are not.
///
/// ```swift
/// let name = "<b>&"
/// let item: HTML = "<li>\(name)</li>"  // <li>&lt;b&gt;&amp;</li>
/// ```
struct HTML: ExpressibleByStringInterpolation, Equatable, Sendable {
    let text: String

    init(stringLiteral text: String) {
        self.text = text
    }

    init(stringInterpolation: Interpolation) {
        text = stringInterpolation.text
    }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        mutating func appendInterpolation(_ number: Int) {
            text += String(number)
        }

        mutating func appendInterpolation(_ number: Int64) {
            text += String(number)
        }

        mutating func appendInterpolation(_ fragment: HTML) {
            text += fragment.text
        }

        mutating func appendInterpolation(_ fragments: [HTML]) {
            for fragment in fragments { text += fragment.text }
        }

        /// Appends text, escaped for elements and for attributes in quotes.
        mutating func appendInterpolation(_ plain: some StringProtocol) {
            for scalar in plain.unicodeScalars {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
    }
}
