package import VigilStorage

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
/// Both kinds can be mixed. A parameter with a name takes the value of that name, or else, like a
/// parameter without a name, the next of the values that have none.
public struct StatementArguments: Hashable, Sendable {
    /// The values without a name, in the order of their parameters.
    package private(set) var values: [DatabaseValue]
    /// The values with a name, by their name without its prefix (`:`, `@` or `$`).
    package private(set) var namedValues: [ExactString: DatabaseValue]

    /// No values.
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
}

// Values by position
extension StatementArguments {
    /// Values by position; `nil` is NULL.
    public init(_ values: some Sequence<(any DatabaseValueConvertible)?>) {
        self.init(databaseValues: values.map { $0?.databaseValue ?? .null })
    }

    /// Values by position.
    public init(_ values: some Sequence<some DatabaseValueConvertible>) {
        self.init(databaseValues: values.map(\.databaseValue))
    }

    /// Values by position; `nil` if one of them is not ``DatabaseValueConvertible``.
    public init?(_ array: [Any]) {
        let values = array.compactMap(DatabaseValue.init(value:))
        guard values.count == array.count else { return nil }
        self.init(databaseValues: values)
    }
}

// Values by name
extension StatementArguments {
    /// Values by name; `nil` is NULL.
    public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(dictionary.lazy.map { ($0.key, $0.value) })
    }

    /// Values by name; `nil` is NULL. Of two with the same name the later one counts.
    public init(_ keysAndValues: some Sequence<(String, (any DatabaseValueConvertible)?)>) {
        self.init()
        for (name, value) in keysAndValues { namedValues[ExactString(name)] = value?.databaseValue ?? .null }
    }

    /// Values by name; `nil` if a key is not a `String`, or a value is not ``DatabaseValueConvertible``.
    public init?(_ dictionary: [AnyHashable: Any]) {
        self.init()
        for (key, value) in dictionary {
            guard let name = key as? String, let dbValue = DatabaseValue(value: value) else { return nil }
            namedValues[ExactString(name)] = dbValue
        }
    }
}

extension StatementArguments: ExpressibleByArrayLiteral {
    /// Values by position; `nil` is NULL.
    public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        self.init(elements)
    }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
    /// Values by name; `nil` is NULL. Of two with the same name the later one counts.
    public init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(elements)
    }
}

extension StatementArguments {
    /// Adds the values of `arguments`: those without a name behind the own ones, those with a name
    /// in the place of own ones with the same name.
    ///
    /// - Returns: the values that were replaced, by name.
    @discardableResult
    public mutating func append(contentsOf arguments: StatementArguments) -> [String: DatabaseValue] {
        var replaced: [String: DatabaseValue] = [:]
        values.append(contentsOf: arguments.values)
        for (name, value) in arguments.namedValues {
            if let old = namedValues.updateValue(value, forKey: name) { replaced[name.string] = old }
        }
        return replaced
    }

    /// All values of both. See ``+=(_:_:)`` for names that both have.
    public static func + (a: StatementArguments, b: StatementArguments) -> StatementArguments {
        var sum = a
        sum += b
        return sum
    }

    /// All values of both. Where both have the same name, the value of `b` counts.
    public static func &+ (a: StatementArguments, b: StatementArguments) -> StatementArguments {
        var sum = a
        sum.append(contentsOf: b)
        return sum
    }

    /// Adds the values of `b`.
    ///
    /// - Precondition: no name is in both. Where one may be, say what you want: ``&+(_:_:)`` or
    ///   ``append(contentsOf:)``.
    public static func += (a: inout StatementArguments, b: StatementArguments) {
        let replaced = a.append(contentsOf: b)
        precondition(
            replaced.isEmpty,
            "statement arguments given twice: \(replaced.keys.sorted().joined(separator: ", "))")
    }
}

extension StatementArguments: CustomStringConvertible {
    /// The values, first those with a name, sorted by it: `["name": "Arthur", 1, NULL]`.
    public var description: String {
        let named = namedValues.sorted { $0.key.string < $1.key.string }
            .map { "\(String(reflecting: $0.key.string)): \($0.value.shortDescription)" }
        return "[" + (named + values.map(\.shortDescription)).joined(separator: ", ") + "]"
    }
}

extension StatementArguments {
    /// Takes the first `count` values without a name out.
    mutating func removeFirst(_ count: Int) {
        values.removeFirst(count)
    }

    /// Takes all values without a name out, and hands them over uncopied.
    mutating func takeValues() -> [DatabaseValue] {
        defer { values = [] }
        return values
    }
}
