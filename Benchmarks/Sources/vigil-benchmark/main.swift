import Foundation

/// Measures the same work through Vigil and through C, in turn, and prints the ratios of each round: their median,
/// least and greatest.
let isQuick = CommandLine.arguments.contains("--quick")
let rounds = isQuick ? 3 : 21
do {
    try measureRows(rounds: rounds)
    try measurePlayers(rounds: rounds, count: isQuick ? 200 : 5_000)
} catch {
    FileHandle.standardError.write(Data("vigil-benchmark: error: \(error)\n".utf8))
    exit(1)
}
