import Vigil

/// What the user is told, in one line.
struct Failure: Error, Equatable {
    static let prefix = "vigil: error: "

    let message: String

    init(_ message: String) {
        self.message = message
    }

    static func line(for error: any Error) -> String { prefix + text(of: error) }

    /// The message of an error, in one line that a terminal shows as it is.
    static func text(of error: any Error) -> String {
        let text =
            switch error {
            case let failure as Failure: failure.message
            case let error as DatabaseError: error.message ?? error.description
            default: "\(error)"
            }
        return TerminalText.safe(text.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
}
