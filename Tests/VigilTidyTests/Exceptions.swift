/// A finding that is accepted, and why. One that excuses nothing any more is itself an error.
struct TidyException {
    let rule: Rule
    let path: String
    /// A part of the finding's message, for a file that breaks a rule in one way only.
    var message = ""
    let reason: String

    func excuses(_ finding: Finding) -> Bool {
        rule == finding.rule && path == finding.path
            && (message.isEmpty || finding.description.contains(message))
    }
}

/// All exceptions of the package.
let tidyExceptions: [TidyException] = [
    TidyException(
        rule: .bannedToken, path: "Sources/VigilEngine/Database/BusyMode.swift",
        reason:
            "a busy handler runs on the thread that wants the lock, and SQLite has nothing else to wait on"),
    TidyException(
        rule: .bannedToken, path: "Sources/VigilEngine/Observation/ObservationEvents.swift",
        reason: "who calls `print()` on an observation asked for its events to be printed"),
]

/// How many `@unchecked Sendable` and `nonisolated(unsafe)` each module under `Sources` has; none where it
/// is not named. Exact: one less is written down too, so that it does not come back unseen.
let uncheckedCounts: [String: Int] = [
    "VigilEngine": 6,
    "VigilSQLite": 2,
]

enum Limit {
    static let linesOfASource = 500
    static let linesOfATest = 600
    static let linesOfAFunction = 60
}
