/// How the open transaction was begun.
struct OpenTransaction: Equatable {
    /// A command that begins a transaction.
    enum Beginning: Equatable {
        case snapshot
        case command(String)
    }

    /// The command that has begun it, while no statement has run in it: until then it can be begun again.
    private(set) var unusedBeginning: Beginning?
    /// Whether it was begun by `beginSnapshot()`. It survives statements that fail.
    private(set) var isSnapshot = false
    /// Whether the driver has begun it for one statement that must not write, and ends it with the statement.
    private(set) var isImplicit = false

    /// The number of interrupts of the connection when it began; `nil` if the program has begun it with a statement.
    private(set) var interruptCount: Int?

    init() {}

    init(_ beginning: Beginning, interruptCount: Int) {
        unusedBeginning = beginning
        self.interruptCount = interruptCount
        isSnapshot = beginning == .snapshot
    }

    /// A transaction for one statement.
    static var implicit: OpenTransaction {
        var transaction = OpenTransaction()
        transaction.isImplicit = true
        return transaction
    }

    mutating func didRunStatement() { unusedBeginning = nil }
}
