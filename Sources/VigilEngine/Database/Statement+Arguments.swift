import VigilStorage

/// The arguments of a statement, and the bound values of its parameters.
struct BoundArguments {
    /// The size in bytes beyond which arguments are large.
    static let largeSize = 4096

    /// The arguments, as the program has set them.
    var arguments = StatementArguments()
    /// The values of the parameters, in the order of the parameters.
    var values: [DatabaseValue] = []
    /// Whether all parameters are bound.
    var isComplete: Bool
    /// The error of setting ``Statement/arguments``, for the next run to throw.
    var error: (any Error)?
    /// Whether the values are large, if the statement is kept.
    var isLarge = false

    func isIdentical(to values: [DatabaseValue]) -> Bool {
        guard self.values.count == values.count else { return false }
        for index in values.indices where !values[index].isIdentical(to: self.values[index]) { return false }
        return true
    }
}

extension Statement {
    /// The values of the parameters. If they do not match the parameters, the next run of the statement
    /// throws.
    public var arguments: StatementArguments {
        get { bound.arguments }
        set {
            do {
                try setArguments(newValue)
            } catch {
                bound.error = error
            }
        }
    }

    /// The bound values, in the order of the parameters.
    package var boundValues: [DatabaseValue] { bound.values }

    /// Sets the values of the parameters, and ends the run of a cursor over the statement.
    ///
    /// - Throws: `SQLITE_MISUSE`, naming the missing or superfluous arguments.
    public func setArguments(_ arguments: StatementArguments) throws {
        if arguments.namedValues.isEmpty, arguments.values.count == parameterCount {
            bound.arguments = arguments
            return try bind(arguments.values)
        }
        var rest = arguments
        let values = try rest.consume(forParametersNamed: parameterNames, sql: sql)
        bound.arguments = arguments
        try bind(values)
    }

    /// Sets the values of the parameters without checking that they match. A parameter without a value
    /// becomes NULL, and a value without a parameter is ignored. If a value cannot be bound, the next run of
    /// the statement throws.
    public func setUncheckedArguments(_ arguments: StatementArguments) {
        var values = arguments.values[...]
        let bindings = parameterNames.map { name in
            name.flatMap { arguments.namedValues[ExactString($0)] } ?? values.popFirst() ?? .null
        }
        bound.arguments = arguments
        do {
            try bind(bindings)
        } catch {
            bound.error = error
        }
    }

    /// Checks whether `arguments` match the parameters, without setting them.
    ///
    /// - Throws: `SQLITE_MISUSE`, naming the missing or superfluous arguments.
    public func validateArguments(_ arguments: StatementArguments) throws {
        var rest = arguments
        _ = try rest.consume(forParametersNamed: parameterNames, sql: sql)
    }

    /// Sets the values of the parameters, and removes them from the front of `arguments`.
    func takeArguments(from arguments: inout StatementArguments) throws {
        let values = try arguments.consume(
            forParametersNamed: parameterNames, sql: sql, allowsRemainder: true)
        bound.arguments = StatementArguments(databaseValues: values)
        try bind(values)
    }

    private func bind(_ values: [DatabaseValue]) throws {
        database.checkConfinement()
        invalidateRun()
        bound.error = nil
        bound.isComplete = true
        bound.values = values
        knownRows = nil
        prefetchedRegion = nil
        guard !values.isEmpty else { return }
        if isKept { measureArguments() }
        let storage = storage
        try database.storage { () throws(StorageError) in
            for index in values.indices { try storage.bind(values[index].storageValue, at: index + 1) }
        }
    }

    /// Binds the values of another statement to the first parameters, and optionally a value to one more.
    func bind(likeThoseOf other: Statement, and value: DatabaseValue? = nil) throws {
        try bind(value.map { other.bound.values + [$0] } ?? other.bound.values)
    }

    /// Binds an integer to the last parameter, and ends the current run.
    func bindLast(_ integer: Int64) throws {
        endRun()
        let (storage, index) = (storage, parameterCount)
        try database.storage { () throws(StorageError) in try storage.bind(.integer(integer), at: index) }
    }

    func didKeep() {
        isKept = true
        measureArguments()
    }

    /// Finds out whether a kept statement has large arguments.
    private func measureArguments() {
        bound.isLarge = bound.values.reduce(0) { $0 + $1.byteCount } > BoundArguments.largeSize
        if bound.isLarge { database.statementCaches.hasLargeArguments = true }
    }

    /// Releases the arguments of the last run if they are large, because a kept statement can live for long.
    func releaseLargeArguments() {
        guard bound.isLarge else { return }
        bound.isLarge = false
        endRun()
        storage.clearBindings()
        bound = BoundArguments(isComplete: parameterCount == 0)
    }
}
