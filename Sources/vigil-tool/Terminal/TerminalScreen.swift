import Foundation
import Synchronization

/// A terminal, of which a second screen is used for a while; the first one then is as it was.
final class TerminalScreen: Sendable {
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    private enum Code {
        /// The second screen, without a cursor.
        static let enter = "\u{1b}[?1049h\u{1b}[?25l"
        /// The first screen, with a cursor and plain text.
        static let leave = "\u{1b}[m\u{1b}[?25h\u{1b}[?1049l"
        static let home = "\u{1b}[H"
        static let clearLine = "\u{1b}[K"
        static let clearBelow = "\u{1b}[J"
    }

    let style: TextStyle
    private let output: Output
    private let isEntered = Atomic(false)

    init(output: Output, style: TextStyle) {
        self.output = output
        self.style = style
    }

    /// `nil` if standard output is no terminal, or one that cannot move its cursor.
    static func ofStandardOutput(environment: [String: String] = ProcessInfo.processInfo.environment)
        -> TerminalScreen?
    {
        guard isatty(STDOUT_FILENO) == 1, environment["TERM"] ?? "dumb" != "dumb" else { return nil }
        let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return TerminalScreen(output: .standard, style: isPlain ? .plain : .coloured)
    }

    /// 80 by 24 if the terminal does not tell.
    var size: Size {
        var size = winsize()
        guard ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    func show(_ lines: [String]) throws {
        let start = isEntered.exchange(true, ordering: .relaxed) ? "" : Code.enter
        let text = lines.map { $0 + Code.clearLine }.joined(separator: "\r\n")
        try output.write(start + Code.home + text + Code.clearBelow)
    }

    /// Goes back to the first screen. Does nothing if that is already there.
    func leave() {
        guard isEntered.exchange(false, ordering: .relaxed) else { return }
        // If the terminal has gone, there is nothing to be put right.
        try? output.write(Code.leave)
    }

    /// Writes lines that stay.
    func print(_ lines: [String]) throws {
        try output.write(lines.map { $0 + "\n" }.joined())
    }
}

/// How parts of a text stand out.
struct TextStyle: Sendable {
    static let plain = TextStyle(hasCodes: false)
    static let coloured = TextStyle(hasCodes: true)

    private let hasCodes: Bool

    func bold(_ text: String) -> String { hasCodes ? "\u{1b}[1m\(text)\u{1b}[22m" : text }
    func faint(_ text: String) -> String { hasCodes ? "\u{1b}[2m\(text)\u{1b}[22m" : text }
}
