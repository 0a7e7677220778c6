/// How the open transaction was begun.
struct OpenTransaction: Equatable {
    /// A way to begin a transaction, again if necessary.
    enum Beginning: Equatable {
        /// With a snapshot that is taken at once. The transaction survives statements that fail.
        case snapshot
        /// With a command.
        case command(String)
        /// For one statement that must not write. The transaction ends with the statement, and callers do not see it.
        case statement
    }

    private var beginning: Beginning?
    private var isUnused = false
    /// The number of interrupts of the connection when it began; `nil` if the program has begun it with a statement.
    private(set) var interruptCount: Int?

    /// A transaction that the program has begun, or none.
    init() {}

    init(_ beginning: Beginning, interruptCount: Int) {
        self.beginning = beginning
        self.interruptCount = interruptCount
        isUnused = true
    }

    var isSnapshot: Bool { beginning == .snapshot }

    /// Whether it was begun for one statement.
    var isImplicit: Bool { beginning == .statement }

    /// The way in which it was begun, while no statement has run in it: until then it can be begun again.
    var unusedBeginning: Beginning? { isUnused ? beginning : nil }

    mutating func didRunStatement() { isUnused = false }
}
