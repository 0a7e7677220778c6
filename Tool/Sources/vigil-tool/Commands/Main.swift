import ArgumentParser
import Foundation

/// Runs the command line.
///
/// An error is printed as one line on standard error, with the exit status of the failure, usually 1. For an
/// invalid command line, the usage is printed too, and the exit status is 64. If the reader of the output has
/// closed it, the status is 0.
@main
enum Main {
    static func main() {
        // A failing write shows that the output is closed.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try VigilCommand.parseAsRoot(
                LeadingDashes.marked(Array(CommandLine.arguments.dropFirst())))
            try command.run()
        } catch is Output.ReaderGone {
        } catch {
            end(with: error)
        }
    }

    private static func end(with error: any Error) -> Never {
        let status = VigilCommand.exitCode(for: error)
        // The parser throws for --help and --version too.
        if status == .success { VigilCommand.exit(withError: error) }
        let text = status == .validationFailure ? usageText(error) : Failure.line(for: error)
        // The status remains if standard error is closed or full.
        try? Output.standardError.write(text + "\n")
        exit((error as? Failure)?.status ?? status.rawValue)
    }

    /// Returns the message and usage of the parser, in the form of the tool's error messages.
    private static func usageText(_ error: any Error) -> String {
        let text = LeadingDashes.unmarked(message: VigilCommand.fullMessage(for: error))
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { TerminalText.safe(String($0)) }.joined(separator: "\n")
        let prefix = "Error: "
        return text.hasPrefix(prefix) ? Failure.prefix + text.dropFirst(prefix.count) : text
    }
}

struct VigilCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vigil",
        abstract: "Keeps watch over a SQL database.",
        discussion: """
            EXAMPLES
              vigil watch players.db "SELECT name, score FROM player ORDER BY score DESC"
              vigil explain players.db "SELECT MAX(score) FROM player"
              vigil cipher export players.db encrypted.db --new-key-file key.txt
              vigil postgres doctor postgres://app@db.example.com/shop player
            """,
        version: "0.1.0",
        subcommands: [WatchCommand.self, ExplainCommand.self, CipherCommand.self, PostgresCommand.self])
}
