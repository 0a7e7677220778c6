import Foundation
import Vigil

/// Prints the teams of a league, the best first, whenever their points change; or plays games.
///
/// Run `LiveScores watch FILE` and `LiveScores play FILE` in two terminals.
@main
struct LiveScores {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            switch (arguments.first, arguments.dropFirst().first, arguments.count) {
            case ("watch", let path?, 2): try await watch(League(path: path))
            case ("play", let path?, 2): try await play(League(path: path))
            default: fail("usage: LiveScores watch|play FILE")
            }
        } catch {
            fail("\(error)")
        }
    }

    /// Prints the teams until Ctrl-C. The loop suspends between changes, without polling.
    private static func watch(_ league: League) async throws {
        for try await teams in league.bestTeams.values(in: league.database) {
            // `print` would buffer the output if it is a pipe.
            FileHandle.standardOutput.write(Data("\(text(teams))\n\n".utf8))
        }
    }

    /// Plays twenty games, one transaction each.
    private static func play(_ league: League) async throws {
        for _ in 1...20 {
            try await league.playGame(using: SystemRandomNumberGenerator())
            try await Task.sleep(for: .milliseconds(250))
        }
    }

    private static func text(_ teams: [Team]) -> String {
        teams.map { team in
            let name = team.name.padding(toLength: 10, withPad: " ", startingAt: 0)
            return "\(name)\(String(repeating: "▇", count: team.points)) \(team.points)"
        }.joined(separator: "\n")
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("LiveScores: \(message)\n".utf8))
        exit(1)
    }
}
