import Vigil

/// An error with a one-line message for the user.
struct Failure: Error, Equatable {
    static let prefix = "vigil: error: "

    let message: String
    let status: Int32

    init(_ message: String, status: Int32 = 1) {
        self.message = message
        self.status = status
    }

    static let onlyFilesAreEncrypted = Failure(
        "only files are encrypted: the connection to a server is encrypted with sslmode in its address")

    /// Returns the line to print for an error.
    static func line(for error: any Error) -> String { prefix + text(of: error) }

    /// Returns the message of an error as one line without control characters of terminals.
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
