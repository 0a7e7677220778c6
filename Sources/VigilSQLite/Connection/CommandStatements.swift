import VigilStorage

/// The compiled statements of transaction commands with a fixed text. They are fields instead of a
/// dictionary, because each transaction looks up two of them.
struct CommandStatements {
    private var beginDeferred: OpaquePointer?
    private var beginImmediate: OpaquePointer?
    private var beginExclusive: OpaquePointer?
    private var commit: OpaquePointer?
    private var rollback: OpaquePointer?

    var all: [OpaquePointer] {
        [beginDeferred, beginImmediate, beginExclusive, commit, rollback].compactMap { $0 }
    }

    /// Returns whether the statement of a command is kept. Savepoints have individual names, so their
    /// statements are not.
    static func caches(_ command: TransactionCommand) -> Bool {
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
