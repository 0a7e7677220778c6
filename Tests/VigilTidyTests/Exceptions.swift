/// A finding that is accepted, with the reason. An exception that excuses no finding is itself an error.
struct TidyException {
    let rule: Rule
    let path: String
    /// A part of the finding's message, if not all findings of the rule in the file are accepted.
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
            "a busy handler runs on the thread that waits for a lock, and SQLite provides no event for it"),
    TidyException(
        rule: .bannedToken, path: "Sources/VigilTesting/Apps/DatabaseReader+Settling.swift",
        reason: "several observations become idle at different times, and only tests of apps ask for it"),
    TidyException(
        rule: .bannedToken, path: "Sources/VigilEngine/Observation/API/ObservationEvents.swift",
        reason: "`print()` on an observation prints its events"),
    TidyException(
        rule: .bannedToken, path: "Sources/VigilQuery/Dump/DumpFormat.swift",
        message: "a library does not write to the terminal",
        reason: "a dump without a stream is requested for standard output"),
    TidyException(
        rule: .bannedToken, path: "Sources/VigilStorage/Trap.swift",
        reason: "all traps call this function, because fatalError prints its message in release builds too"),
    TidyException(
        rule: .dialectWord, path: "Sources/VigilQuery/FullTextSearch/FullTextSynchronization.swift",
        message: "WITHOUT ROWID",
        reason: "the error is about tables of SQLite: only its modules have full-text tables"),
    TidyException(
        rule: .storedVariables, path: "Sources/VigilEngine/Access/Configuration.swift",
        reason: "each option is a property, with GRDB's name"),
]

/// The number of `@unchecked Sendable` and `nonisolated(unsafe)` in each module under `Sources`; 0 for
/// others.
///
/// The numbers are exact. If one is removed, the number must be lowered, so that no other can be added
/// unnoticed.
let uncheckedCounts: [String: Int] = [
    "VigilCombine": 1,
    "VigilEngine": 5,
    "VigilLists": 1,
    "VigilQuery": 3,
    "VigilStorage": 1,
]

/// The number of values in `UncheckedSendable` and `SendablePointer` in each module under `Sources`; 0 for
/// others.
///
/// The numbers are exact, and only become smaller.
let uncheckedBoxCounts: [String: Int] = [
    "VigilCombine": 2,
    "VigilEngine": 6,
    "VigilPostgres": 3,
    "VigilRx": 3,
    "VigilSQLCipher": 1,
    "VigilSQLite": 2,
]

/// The number of `unowned(unsafe)` and `@exclusivity(unchecked)` in each module under `Sources`; 0 for
/// others.
///
/// The numbers are exact, and only become smaller.
let uncheckedAccessCounts: [String: Int] = [
    "VigilEngine": 29,
    "VigilQuery": 10,
    "VigilSQLite": 14,
]

/// The number of phrases in each kind of prose that CONTRIBUTING.md rules out; 0 for others.
///
/// The numbers are exact, and only become smaller.
let languageLimits: [ProseKind: Int] = [:]

/// Numbers that only become smaller.
enum Limit {
    static let linesOfASource = 500
    static let linesOfATest = 600
    static let linesOfAFunction = 60
    /// Functions with three or more unlabelled parameters.
    static let unlabelledParameterListsPer1000Functions = 3.0
    static let storedVariables = 20
    static let linesOfAShortFile = 25
    static let shortFiles = 20
    static let publicBackendProtocols = 16
    /// The sum of ``uncheckedCounts``. Decisions/026 explains each.
    static let uncheckedDeclarations = 11
    /// "That", "which" and "whose" in the comments of Sources.
    static let relativeClausesPer1000Words = 10.0
    static let columnsOfAComment = 110
    static let linesOfPages = [
        "README.md": 200, "ARCHITECTURE.md": 250, "CHANGELOG.md": 60,
        "Sources/VigilStorage/VigilStorage.docc/WritingABackend.md": 150,
    ]
}
