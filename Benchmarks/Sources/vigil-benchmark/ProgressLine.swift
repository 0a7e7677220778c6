import Foundation

/// Reports progress on standard error: on a terminal in one line that is redrawn, elsewhere only finished
/// scenarios.
struct ProgressLine {
    private let isTerminal = isatty(2) == 1
    private let start = Date()

    func show(_ text: String) {
        if isTerminal { write("\r\u{1B}[K\(clock)  \(text)") }
    }

    func finish(_ text: String) {
        write((isTerminal ? "\r\u{1B}[K" : "") + "\(clock)  \(text)\n")
    }

    private var clock: String {
        let seconds = Int(Date().timeIntervalSince(start))
        return String(format: "%d:%02d", seconds / 60, seconds % 60)
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
