import ArgumentParser
import Foundation

/// Runs the command line. Whatever fails is told in one line on standard error; then the status is 1, or 64 for
/// a command line that cannot be understood.
@main
enum Main {
    static func main() {
        do {
            var command = try VigilCommand.parseAsRoot(
                NegativeNumbers.marked(Array(CommandLine.arguments.dropFirst())))
            try command.run()
        } catch {
            end(with: error)
        }
    }

    private static func end(with error: any Error) -> Never {
        let status = VigilCommand.exitCode(for: error)
        // Help and version are thrown too.
        if status == .success { VigilCommand.exit(withError: error) }
        let text = status == .validationFailure ? usageText(error) : Failure.line(for: error)
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(status.rawValue)
    }

    /// The parser's own message and usage, in our form.
    private static func usageText(_ error: any Error) -> String {
        let text = NegativeNumbers.unmarked(message: VigilCommand.fullMessage(for: error))
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { TerminalText.safe(String($0)) }.joined(separator: "\n")
        let prefix = "Error: "
        return text.hasPrefix(prefix) ? Failure.prefix + text.dropFirst(prefix.count) : text
    }
}
