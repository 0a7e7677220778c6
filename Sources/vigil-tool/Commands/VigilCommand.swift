import ArgumentParser

struct VigilCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vigil",
        abstract: "Keeps watch over a SQL database.",
        discussion: """
            EXAMPLES
              vigil watch players.db "SELECT name, score FROM player ORDER BY score DESC"
              vigil explain players.db "SELECT MAX(score) FROM player"
              vigil cipher export players.db encrypted.db --new-key-file key.txt
            """,
        version: "0.1.0",
        subcommands: [WatchCommand.self, ExplainCommand.self, CipherCommand.self])
}
