import Foundation

/// Draws each result in place of the previous one, and prints the last one when the watch ends.
struct ScreenPresenter: Presenter {
    let sql: String
    private let terminal: TerminalScreen
    private var frame: ScreenFrame?

    var output: Output { .standard }
    var screen: TerminalScreen? { terminal }

    init(screen: TerminalScreen, sql: String) {
        terminal = screen
        self.sql = sql
    }

    mutating func show(_ report: WatchReport) throws {
        frame = ScreenFrame(
            sql: sql, result: report.result, changes: report.number,
            time: report.time ?? Self.timeOfDay())
        try redraw()
    }

    mutating func show(note: String?) throws {
        guard let frame else {
            // Nothing is drawn yet.
            if let note { Output.note(note) }
            return
        }
        guard frame.note != note else { return }
        self.frame?.note = note
        try redraw()
    }

    func redraw() throws {
        guard let frame else { return }
        try terminal.show(frame.lines(size: terminal.size, style: terminal.style))
    }

    func finish() throws {
        terminal.close()
        guard let frame else { return }
        try terminal.print(frame.lines(size: terminal.size, style: terminal.style))
    }

    /// Returns the local time, such as `12:34:56`.
    private static func timeOfDay() -> String {
        let parts = Calendar.current.dateComponents([.hour, .minute, .second], from: Date())
        return [parts.hour, parts.minute, parts.second].map { part in
            let text = "\(part ?? 0)"
            return text.count < 2 ? "0" + text : text
        }.joined(separator: ":")
    }
}
