/// A connection whose statements can call functions and collations of the program.
public protocol FunctionHosting: StorageConnection {
    /// Adds a function, or replaces the one of the same name and number of arguments.
    ///
    /// If ``StorageStatement/rowConditions`` depend on a replaced function, such as `like`, the
    /// ``StorageStatement/accessRevision`` of all statements changes.
    ///
    /// - Throws: ``StorageError/Code/busy`` if a running statement uses the existing function,
    ///   ``StorageError/Code/misuse`` if the library does not accept the name or the number of arguments.
    func add(_ function: StorageFunction) throws(StorageError)

    /// Removes a function. Statements that call it fail from then on. Does nothing if it does not exist.
    func removeFunction(named name: String, argumentCount: Int?) throws(StorageError)

    /// A number that grows with each change of functions or collations, however made: results may differ.
    var functionRevision: Int { get }

    /// Whether a writing statement is running. The writes of functions that it calls are committed with it.
    var isRunningWrite: Bool { get }

    /// Adds a collation, or replaces the one of the same name.
    ///
    /// - Throws: ``StorageError/Code/busy`` if a running statement uses the existing collation.
    func add(_ collation: StorageCollation) throws(StorageError)

    /// Removes a collation. Statements that need it fail from then on. Does nothing if it does not exist.
    func removeCollation(named name: String) throws(StorageError)
}

/// A function for statements to call. It runs on the connection's thread, in the middle of a statement.
///
/// ```swift
/// let double = StorageFunction(
///     name: "double", argumentCount: 1, isPure: true,
///     body: .scalar { arguments in
///         guard case .integer(let integer) = arguments[0] else { return .null }
///         return .integer(integer * 2)
///     })
/// ```
public struct StorageFunction {
    /// The implementation of a function.
    public enum Body {
        /// Returns a value for the arguments of one call. A thrown error fails the statement.
        case scalar(([StorageValue]) throws(StorageError) -> StorageValue)
        /// Returns a new aggregation, once for each group of rows.
        case aggregate(() -> any StorageAggregation)
    }

    /// The name of the function in SQL.
    public var name: String
    /// The number of arguments; `nil` for any number.
    public var argumentCount: Int?
    /// Whether equal arguments always produce equal results, so the library may call the function less often.
    public var isPure: Bool
    /// Whether the function has no side effects and reveals nothing: the schema of an untrusted file may call
    /// it.
    ///
    /// A connection with ``StorageOptions/trustsFile`` off never calls other functions for a view, a trigger,
    /// a default value, a constraint, a generated column or an index: such statements throw an error.
    public var isHarmless: Bool
    /// The implementation.
    public var body: Body

    /// Creates a function.
    public init(
        name: String, argumentCount: Int?, isPure: Bool, isHarmless: Bool = false, body: Body
    ) {
        self.name = name
        self.argumentCount = argumentCount
        self.isPure = isPure
        self.isHarmless = isHarmless
        self.body = body
    }
}

/// Computes the value of an aggregate function for one group of rows.
public protocol StorageAggregation: AnyObject {
    /// Adds a row of the group. A thrown error fails the statement.
    func step(_ arguments: [StorageValue]) throws(StorageError)

    /// Returns the value of the group. Called once, after all rows; not called after an error.
    func finish() throws(StorageError) -> StorageValue
}

/// An ordering of text by the program.
///
/// ```swift
/// let length = StorageCollation(name: "length") { $0.utf8.count - $1.utf8.count }
/// ```
public struct StorageCollation {
    /// The name of the collation in SQL.
    public var name: String
    /// Returns a negative number if the first text comes before the second, a positive one if it comes after,
    /// 0 if they are equal.
    ///
    /// Called on the thread of the connection, in the middle of a statement: it must not use the
    /// connection. The order must not change while an index in this order exists.
    public var compare: (String, String) -> Int

    /// Creates a collation.
    public init(name: String, compare: @escaping (String, String) -> Int) {
        self.name = name
        self.compare = compare
    }
}
