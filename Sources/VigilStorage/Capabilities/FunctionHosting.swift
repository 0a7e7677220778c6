/// A connection whose statements can call functions of the program.
public protocol FunctionHosting: StorageConnection {
    /// Adds a function, or replaces the one of the same name and number of arguments.
    ///
    /// - Throws: ``StorageError/Code/busy`` if a running statement uses the one that is to be replaced, and
    ///   ``StorageError/Code/misuse`` for a name or a number of arguments that the library does not take.
    func add(_ function: StorageFunction) throws(StorageError)

    /// Removes a function. Statements that call it fail from then on; there need not be one.
    func removeFunction(named name: String, argumentCount: Int?) throws(StorageError)

    /// Whether a statement that writes has begun and not ended. Asked from within a function, it tells whether
    /// what the function writes is committed only with the statement that calls it.
    var isRunningWrite: Bool { get }
}

/// A function that statements can call. It runs on the thread that uses the connection, in the middle of a statement.
public struct StorageFunction {
    public enum Body {
        /// Gives a value for its arguments.
        case scalar(([StorageValue]) throws(StorageError) -> StorageValue)
        /// Makes what gathers the rows of one group.
        case aggregate(() -> any StorageAggregation)
    }

    public var name: String
    /// `nil` for any number of them.
    public var argumentCount: Int?
    /// Whether equal arguments always give equal results, so that the library may call it less often.
    public var isPure: Bool
    public var body: Body

    public init(name: String, argumentCount: Int?, isPure: Bool, body: Body) {
        self.name = name
        self.argumentCount = argumentCount
        self.isPure = isPure
        self.body = body
    }
}

/// Gathers the rows of one group into a value.
public protocol StorageAggregation: AnyObject {
    /// Takes a row.
    func step(_ arguments: [StorageValue]) throws(StorageError)

    /// The value of all rows. Called once, last; not after an error.
    func finish() throws(StorageError) -> StorageValue
}
