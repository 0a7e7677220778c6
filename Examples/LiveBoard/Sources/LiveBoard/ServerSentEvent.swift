/// An event of a `text/event-stream`.
enum ServerSentEvent {
    /// A line that clients ignore, which keeps idle connections open.
    static let keepAlive = ": keep-alive\n\n"

    /// Returns the text of an event. Line breaks of any kind become line breaks of the format.
    static func text(name: String, data: String) -> String {
        var text = "event: \(name)\n"
        // "\r\n" is one Character, which is a newline as well.
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: isLineBreak) {
            text += "data: \(line)\n"
        }
        return text + "\n"
    }

    /// Returns the text that sets the delay after which a client connects again.
    static func retry(milliseconds: Int) -> String {
        "retry: \(milliseconds)\n\n"
    }

    private static func isLineBreak(_ character: Character) -> Bool {
        character == "\n" || character == "\r" || character == "\r\n"
    }
}
