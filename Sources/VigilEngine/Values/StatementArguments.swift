public import VigilStorage

/// The values for the parameters of a statement.
///
/// ```swift
/// try db.execute(sql: "UPDATE player SET score = ? WHERE id = ?", arguments: [1000, 1])
/// try db.execute(
///     sql: "UPDATE player SET score = :score WHERE id = :id", arguments: ["score": 1000, "id": 1])
/// let scores = try Int.fetchAll(
///     db, sql: "SELECT score FROM player WHERE id IN (?, ?, ?)", arguments: StatementArguments(ids))
/// ```
///
/// Positional and named values can be mixed. A named parameter receives the value of the same name. If no
/// value has its name, or if it has no name, it receives the next positional value.
public struct StatementArguments: Hashable, Sendable {
    /// The positional values, in the order of their parameters.
    package private(set) var values: [DatabaseValue]
    /// The named values, by their name without its prefix (`:`, `@` or `$`).
    package private(set) var namedValues: [ExactString: DatabaseValue]

    /// Creates empty arguments.
    public init() {
        values = []
        namedValues = [:]
    }

    /// Whether there are no values.
    public var isEmpty: Bool { values.isEmpty && namedValues.isEmpty }

    package init(databaseValues: [DatabaseValue]) {
        values = databaseValues
        namedValues = [:]
    }

    /// Appends a positional value.
    package mutating func append(_ value: DatabaseValue) { values.append(value) }
}

// Positional values
extension StatementArguments {
    /// Creates positional values. `nil` is NULL.
    public init(_ values: some Sequence<(any DatabaseValueConvertible)?>) {
        self.init(databaseValues: values.map { $0?.databaseValue ?? .null })
    }

    /// Creates positional values.
    public init(_ values: some Sequence<some DatabaseValueConvertible>) {
        self.init(databaseValues: values.map(\.databaseValue))
    }

    /// Creates positional values. Returns `nil` if one of them is not ``DatabaseValueConvertible``.
    public init?(_ array: [Any]) {
        let values = array.compactMap(DatabaseValue.init(value:))
        guard values.count == array.count else { return nil }
        self.init(databaseValues: values)
    }
}

// Named values
extension StatementArguments {
    /// Creates named values. `nil` is NULL.
    public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(dictionary.lazy.map { ($0.key, $0.value) })
    }

    /// Creates named values. `nil` is NULL. If a name occurs several times, its last value is used.
    public init(_ keysAndValues: some Sequence<(String, (any DatabaseValueConvertible)?)>) {
        self.init()
        for (name, value) in keysAndValues { namedValues[ExactString(name)] = value?.databaseValue ?? .null }
    }

    /// Creates named values. Returns `nil` if a key is not a `String`, or if a value is not
    /// ``DatabaseValueConvertible``.
    public init?(_ dictionary: [AnyHashable: Any]) {
        self.init()
        for (key, value) in dictionary {
            guard let name = key as? String, let dbValue = DatabaseValue(value: value) else { return nil }
            namedValues[ExactString(name)] = dbValue
        }
    }
}

extension StatementArguments: ExpressibleByArrayLiteral {
    /// Creates positional values. `nil` is NULL.
    public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        var values: [DatabaseValue] = []
        values.reserveCapacity(elements.count)
        // A generic sequence would copy each value several times (bench: unrelated-writes).
        for index in elements.indices { values.append(elements[index]?.databaseValue ?? .null) }
        self.init(databaseValues: values)
    }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
    /// Creates named values. `nil` is NULL. If a name occurs several times, its last value is used.
    public init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(elements)
    }
}

extension StatementArguments {
    /// Appends the positional values of other arguments, and adds their named values, in place of existing
    /// values of the same name.
    ///
    /// ```swift
    /// var arguments: StatementArguments = ["name": "Arthur"]
    /// arguments.append(contentsOf: ["score": 1000])
    /// ```
    ///
    /// - Returns: The replaced values, by name.
    @discardableResult
    public mutating func append(contentsOf arguments: StatementArguments) -> [String: DatabaseValue] {
        var replaced: [String: DatabaseValue] = [:]
        values.append(contentsOf: arguments.values)
        for (name, value) in arguments.namedValues {
            if let old = namedValues.updateValue(value, forKey: name) { replaced[name.string] = old }
        }
        return replaced
    }

    /// Returns the values of both arguments.
    ///
    /// - Precondition: The names are distinct. Otherwise use ``&+(_:_:)``.
    public static func + (a: StatementArguments, b: StatementArguments) -> StatementArguments {
        var sum = a
        sum += b
        return sum
    }

    /// Returns the values of both arguments. If both contain the same name, the value of `b` is used.
    public static func &+ (a: StatementArguments, b: StatementArguments) -> StatementArguments {
        var sum = a
        sum.append(contentsOf: b)
        return sum
    }

    /// Adds the values of `b`.
    ///
    /// - Precondition: The names are distinct. Otherwise use ``&+(_:_:)`` or ``append(contentsOf:)``.
    public static func += (a: inout StatementArguments, b: StatementArguments) {
        let replaced = a.append(contentsOf: b)
        trap(
            unless: replaced.isEmpty,
            "duplicate statement arguments: \(replaced.keys.sorted().joined(separator: ", "))")
    }
}

extension StatementArguments: CustomStringConvertible {
    /// The named values, sorted by name, followed by the positional values: `["name": "Arthur", 1, NULL]`.
    public var description: String {
        let named = namedValues.sorted { $0.key.string < $1.key.string }
            .map { "\(String(reflecting: $0.key.string)): \($0.value.description)" }
        return "[" + (named + values.map(\.description)).joined(separator: ", ") + "]"
    }
}

extension StatementArguments {
    mutating func removeFirst(_ count: Int) {
        values.removeFirst(count)
    }

    /// Removes and returns all positional values, without copying them.
    mutating func takeValues() -> [DatabaseValue] {
        defer { values = [] }
        return values
    }
}

/// A type that can be bound to a parameter of a statement.
///
/// Do not implement it yourself: every ``DatabaseValueConvertible`` type conforms.
public protocol StatementBinding {
    /// The bound value.
    var boundValue: StorageValue { get }
}

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
    /// The bound value of the raw value.
    public var boundValue: StorageValue { rawValue.boundValue }
}

extension Optional: StatementBinding where Wrapped: StatementBinding {
    /// The bound value of the wrapped value; NULL for `nil`.
    public var boundValue: StorageValue { self?.boundValue ?? .null }
}
