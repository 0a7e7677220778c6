/// The open transaction: how it was begun, and its savepoints.
struct OpenTransaction: Equatable {
    /// A way to begin a transaction, again if necessary.
    enum Beginning: Equatable {
        /// With an immediate snapshot. The transaction survives failed statements.
        ///
        /// - Parameter isObserved: whether it must be a snapshot of the feed's server.
        case snapshot(isObserved: Bool)
        /// With a command.
        case command(String)
        /// For one read-only statement. The transaction ends with the statement, and is invisible to callers.
        case statement

        var isSnapshot: Bool { if case .snapshot = self { true } else { false } }
    }

    var savepoints = SavepointStack()
    private var beginning: Beginning?
    private var isUnused = false
    /// The number of interrupts of the connection when it began; `nil` if the program has begun it with a
    /// statement.
    private(set) var interruptCount: Int?
    /// The session of a snapshot; `nil` after a statement that may have changed it, and after a return to a
    /// savepoint.
    var identity: SessionIdentity?

    /// Whether settings were changed after the last savepoint of a snapshot: a return to it would undo them.
    var hasNewSettings = false
    /// Whether a snapshot has a second savepoint, behind settings. The first one can still undo them.
    var hasSettingsSavepoint = false

    /// A transaction begun by the program, or none.
    init() {}

    init(_ beginning: Beginning, interruptCount: Int) {
        self.beginning = beginning
        self.interruptCount = interruptCount
        isUnused = true
    }

    var isSnapshot: Bool { beginning?.isSnapshot == true }

    var isImplicit: Bool { beginning == .statement }

    /// The way in which it was begun, until the first statement runs in it: until then it can be begun again.
    var unusedBeginning: Beginning? { isUnused ? beginning : nil }

    mutating func didRunStatement() { isUnused = false }
}
