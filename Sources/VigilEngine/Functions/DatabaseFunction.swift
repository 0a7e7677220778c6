import VigilStorage

/// A function, or an aggregate, that SQL can call.
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
/// It runs in the middle of the statement that calls it, on the connection's thread. An error that it throws fails
/// the statement: a ``DatabaseError`` with its code and message, any other with its description.
public final class DatabaseFunction: Identifiable, Sendable {
    /// What tells functions of a connection apart: the name, in any case, and the number of arguments.
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

    /// The name by which SQL calls it.
    public let name: String
    public let id: ID
    package let isPure: Bool
    let body: Body

    /// Whether it takes many rows and gives one value.
    package var isAggregate: Bool {
        if case .aggregate = body { true } else { false }
    }

    /// Makes a function.
    ///
    /// - Parameters:
    ///   - argumentCount: how many arguments it takes; `nil` for any number.
    ///   - pure: whether equal arguments always give equal results. SQLite may then call it less often, and accepts
    ///     it in indexes and generated columns.
    ///   - function: gets as many values as the statement gives arguments.
    public convenience init(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false,
        function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
    ) {
        self.init(name, argumentCount: argumentCount, pure: pure, body: .scalar(function))
    }

    /// Makes an aggregate.
    ///
    /// - Parameters:
    ///   - argumentCount: how many arguments it takes from each row; `nil` for any number.
    ///   - pure: whether equal rows always give equal results.
    ///   - aggregate: a type of which one value is made for each group of rows.
    public convenience init<Aggregate: DatabaseAggregate>(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, aggregate: Aggregate.Type
    ) {
        self.init(name, argumentCount: argumentCount, pure: pure, body: .aggregate { Aggregate() })
    }

    private init(_ name: String, argumentCount: Int?, pure: Bool, body: Body) {
        self.name = name
        id = ID(name: name, argumentCount: argumentCount)
        isPure = pure
        self.body = body
    }
}

/// Gathers rows into one value, for SQL.
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
public protocol DatabaseAggregate: SendableMetatype {
    /// Begins a group.
    init()

    /// Takes the values of a row.
    mutating func step(_ dbValues: [DatabaseValue]) throws

    /// The value of the group.
    func finalize() throws -> (any DatabaseValueConvertible)?
}
