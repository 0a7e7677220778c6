import Foundation
import Synchronization

/// The alternate screen of a terminal. Leaving it restores the main screen.
final class TerminalScreen: Sendable {
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    private enum Code {
        /// Switches to the alternate screen, and hides the cursor.
        static let enter = "\u{1b}[?1049h\u{1b}[?25l"
        /// Resets the text style, shows the cursor, and switches back to the main screen.
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

    /// Returns the terminal of standard output, or `nil` if it is not a terminal, or cannot move its cursor.
    static func ofStandardOutput(environment: [String: String] = ProcessInfo.processInfo.environment)
        -> TerminalScreen?
    {
        guard isatty(STDOUT_FILENO) == 1, environment["TERM"] ?? "dumb" != "dumb" else { return nil }
        let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return TerminalScreen(output: .standard, style: isPlain ? .plain : .coloured)
    }

    /// The size of the terminal, or 80 by 24 if it is unknown.
    var size: Size {
        var size = winsize()
        guard ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Replaces the contents of the alternate screen. The first call switches to it.
    func show(_ lines: [String]) throws {
        let start = isEntered.exchange(true, ordering: .relaxed) ? "" : Code.enter
        let text = lines.map { $0 + Code.clearLine }.joined(separator: "\r\n")
        try output.write(start + Code.home + text + Code.clearBelow)
    }

    /// Switches back to the main screen. Does nothing if the alternate screen is not shown.
    func close() {
        guard isEntered.exchange(false, ordering: .relaxed) else { return }
        // A closed terminal need not be restored.
        try? output.write(Code.leave)
    }

    /// Prints lines on the current screen.
    func print(_ lines: [String]) throws {
        try output.write(lines.map { $0 + "\n" }.joined())
    }
}

/// The emphasis of text on a terminal.
struct TextStyle: Sendable {
    static let plain = TextStyle(hasCodes: false)
    static let coloured = TextStyle(hasCodes: true)

    private let hasCodes: Bool

    func bold(_ text: String) -> String { hasCodes ? "\u{1b}[1m\(text)\u{1b}[22m" : text }
    func faint(_ text: String) -> String { hasCodes ? "\u{1b}[2m\(text)\u{1b}[22m" : text }
}
