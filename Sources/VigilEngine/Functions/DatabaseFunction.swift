import VigilStorage

/// A custom SQL function or aggregate.
///
/// ```swift
/// let initials = DatabaseFunction("initials", argumentCount: 1, pure: true) { values in
///     guard let name = String.fromDatabaseValue(values[0]) else { return nil }
///     return String(name.split(separator: " ").compactMap(\.first))
/// }
/// var configuration = Configuration()
/// configuration.prepareDatabase { db in db.add(function: initials) }
/// // SELECT initials(name) FROM player
/// ```
///
/// The function is called on the connection's thread, while a statement is running. If it throws an error,
/// the statement fails: with the code and message of a ``DatabaseError``, or with the description of any
/// other error.
public final class DatabaseFunction: Identifiable, Sendable {
    /// The identity of a function within a connection: its name, regardless of case, and its number of
    /// arguments.
    public struct ID: Hashable, Sendable {
        private let foldedName: ExactString
        let argumentCount: Int?

        init(name: String, argumentCount: Int?) {
            foldedName = ExactString(name.foldedName)
            self.argumentCount = argumentCount
        }
    }

    typealias Scalar = @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?

    enum Body: Sendable {
        case scalar(Scalar)
        case aggregate(@Sendable () -> any DatabaseAggregate)
    }

    /// The name in SQL.
    public let name: String
    /// The identity of the function.
    public let id: ID
    package let isPure: Bool
    let isHarmless: Bool
    let body: Body

    /// Whether this is an aggregate, which returns one value for many rows.
    package var isAggregate: Bool {
        if case .aggregate = body { true } else { false }
    }

    /// Creates a function.
    ///
    /// - Parameters:
    ///   - name: the name in SQL.
    ///   - argumentCount: the number of arguments; `nil` for any number.
    ///   - pure: whether equal arguments always produce equal results. SQLite may then call the function less
    ///     often, and accepts it in indexes and generated columns.
    ///   - harmless: whether the function has no side effects and reveals nothing. Only then can the schema
    ///     of a file that is opened with ``Configuration/untrusted`` call it.
    ///   - function: returns the result for the arguments of a call; `nil` for NULL.
    public convenience init(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, harmless: Bool = false,
        function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
    ) {
        self.init(
            name, argumentCount: argumentCount, pure: pure, harmless: harmless, body: .scalar(function))
    }

    /// Creates an aggregate.
    ///
    /// - Parameters:
    ///   - name: the name in SQL.
    ///   - argumentCount: the number of arguments for each row; `nil` for any number.
    ///   - pure: whether equal rows always produce equal results.
    ///   - harmless: whether the aggregate has no side effects and reveals nothing. Only then can the schema
    ///     of a file that is opened with ``Configuration/untrusted`` call it.
    ///   - aggregate: the type that is instantiated for each group of rows.
    public convenience init<Aggregate: DatabaseAggregate>(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, harmless: Bool = false,
        aggregate: Aggregate.Type
    ) {
        self.init(
            name, argumentCount: argumentCount, pure: pure, harmless: harmless,
            body: .aggregate { Aggregate() })
    }

    private init(_ name: String, argumentCount: Int?, pure: Bool, harmless: Bool, body: Body) {
        self.name = name
        id = ID(name: name, argumentCount: argumentCount)
        isPure = pure
        isHarmless = harmless
        self.body = body
    }
}

/// A type that computes one value from the rows of a group.
///
/// ```swift
/// struct Longest: DatabaseAggregate {
///     private var longest: String?
///
///     mutating func step(_ values: [DatabaseValue]) {
///         guard let text = String.fromDatabaseValue(values[0]) else { return }
///         if text.count > longest?.count ?? -1 { longest = text }
///     }
///
///     func finalize() -> (any DatabaseValueConvertible)? { longest }
/// }
///
/// db.add(function: DatabaseFunction("longest", argumentCount: 1, aggregate: Longest.self))
/// // SELECT team, longest(name) FROM player GROUP BY team
/// ```
///
/// If a method throws an error, the statement fails with it.
public protocol DatabaseAggregate: _SendableMetatype {
    /// Creates the state of a group without rows.
    init()

    /// Adds the arguments of a row to the group. An error fails the statement.
    mutating func step(_ dbValues: [DatabaseValue]) throws

    /// Returns the result for the group, `nil` for NULL. Called once, after the last row. An error fails the
    /// statement.
    func finalize() throws -> (any DatabaseValueConvertible)?
}

#if compiler(>=6.2)
    /// A type with a sendable metatype.
    public typealias _SendableMetatype = SendableMetatype
#else
    /// Any type: in Swift 6.1, all metatypes are sendable.
    public typealias _SendableMetatype = Any
#endif
