import VigilStorage

struct OwnStatements {
    var commands = CommandStatements()
    /// The data versions of the databases in files, `main` first; empty until they are needed.
    var dataVersions: [DataVersion] = []
    /// A read of the first page, to take the snapshot of a transaction.
    var snapshot: OpaquePointer?
    /// `PRAGMA main.schema_version`.
    var schemaVersion: OpaquePointer?
    /// The schema version of `main` known to the library; `nil` before it was read.
    var knownSchemaVersion: Int64?
    /// The same for attached databases, by their names in lower case.
    var knownAttachedVersions: [String: Int64] = [:]

    mutating func forgetSchemaVersions() {
        knownSchemaVersion = nil
        if !knownAttachedVersions.isEmpty { knownAttachedVersions = [:] }
    }

    var all: [OpaquePointer] {
        commands.all + dataVersions.map(\.statement) + [snapshot, schemaVersion].compactMap { $0 }
    }
}

/// The compiled data version of a database. Each commit of another connection changes it.
struct DataVersion {
    let statement: OpaquePointer
    /// The path of the file; empty for a database in memory or in a temporary file.
    let path: String
}

/// The compiled statements of transaction commands with a fixed text. Each transaction looks up two of them,
/// so they are fields instead of a dictionary.
struct CommandStatements {
    private var beginDeferred: OpaquePointer?
    private var beginImmediate: OpaquePointer?
    private var beginExclusive: OpaquePointer?
    private var commit: OpaquePointer?
    private var rollback: OpaquePointer?

    var all: [OpaquePointer] {
        [beginDeferred, beginImmediate, beginExclusive, commit, rollback].compactMap { $0 }
    }

    /// Returns whether the statement of a command is kept. Statements with names of savepoints are not.
    static func keeps(_ command: TransactionCommand) -> Bool {
        switch command {
        case .beginDeferred, .beginImmediate, .beginExclusive, .commit, .rollback: true
        case .savepoint, .release, .rollbackTo: false
        }
    }

    subscript(command: TransactionCommand) -> OpaquePointer? {
        get {
            switch command {
            case .beginDeferred: beginDeferred
            case .beginImmediate: beginImmediate
            case .beginExclusive: beginExclusive
            case .commit: commit
            case .rollback: rollback
            case .savepoint, .release, .rollbackTo: nil
            }
        }
        set {
            switch command {
            case .beginDeferred: beginDeferred = newValue
            case .beginImmediate: beginImmediate = newValue
            case .beginExclusive: beginExclusive = newValue
            case .commit: commit = newValue
            case .rollback: rollback = newValue
            case .savepoint, .release, .rollbackTo: break
            }
        }
    }
}
