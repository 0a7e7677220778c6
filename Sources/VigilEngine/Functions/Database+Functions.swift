import Foundation
import VigilRegions
import VigilStorage

extension Database {
    /// Adds a function. It replaces an existing one of the same name and number of arguments.
    ///
    /// To add a function to all connections of a pool, call this method in
    /// ``Configuration/prepareDatabase(_:)``.
    ///
    /// If the function cannot be added, because its name is longer than 255 bytes, or because a running
    /// statement calls the existing function, the next statement of this connection throws the error.
    ///
    /// A function named `like` or `glob` redefines the operators `LIKE` and `GLOB`. These operators then no
    /// longer narrow the regions of observations, for all connections of the database.
    ///
    /// A query that calls the function in `WHERE` depends on all rows of its tables, because the function may
    /// throw for rows that do not meet the other conditions.
    public func add(function: DatabaseFunction) {
        change { try install(function) }
    }

    /// Removes a function. Statements that call it then fail.
    ///
    /// If the function cannot be removed, the next statement of this connection throws the error.
    public func remove(function: DatabaseFunction) {
        change {
            defer { distrust(.callingFunction(named: function.name)) }
            try storage { () throws(StorageError) in
                try functionHost(for: "functions").removeFunction(
                    named: function.name, argumentCount: function.id.argumentCount)
            }
        }
    }

    /// Adds a collation. It replaces an existing one of the same name.
    ///
    /// To add a collation to all connections of a pool, call this method in
    /// ``Configuration/prepareDatabase(_:)``.
    ///
    /// If the collation cannot be added, because a running statement uses the existing one, the next
    /// statement of this connection throws the error.
    ///
    /// A collation named `BINARY`, `NOCASE` or `RTRIM` redefines how text is compared. Such comparisons then
    /// no longer narrow the regions of observations, for all connections of the database.
    public func add(collation: DatabaseCollation) {
        change { try install(collation) }
    }

    /// Removes a collation. Statements that use it then fail.
    ///
    /// If the collation cannot be removed, the next statement of this connection throws the error.
    public func remove(collation: DatabaseCollation) {
        change {
            defer { distrust(.comparing(byCollationNamed: collation.name)) }
            try storage { () throws(StorageError) in
                try functionHost(for: "collations").removeCollation(named: collation.name)
            }
        }
    }

    /// Adds the functions and collations of every connection.
    func installStandardFunctions() throws {
        if roles.functions != nil {
            for function in DatabaseFunction.standard { try install(function) }
            for collation in DatabaseCollation.standard { try install(collation) }
        }
    }

    // MARK: - Errors

    /// Changes a function, collation or tokenizer. The error is thrown by the next statement, because the
    /// callers do not throw.
    func change(_ body: () throws -> Void) {
        // The library chooses functions and collations when it compiles a statement.
        removeCachedStatements()
        do {
            try body()
        } catch let error as DatabaseError {
            // The first error is the relevant one.
            deferredError = deferredError ?? error
        } catch {
            deferredError = deferredError ?? DatabaseError(message: "\(error)")
        }
    }

    func throwDeferredError() throws {
        guard let error = deferredError else { return }
        deferredError = nil
        throw error
    }

    // MARK: - Backends

    /// A number that changes when functions or collations may have changed. See
    /// ``FunctionHosting/functionRevision``.
    var functionRevision: Int { roles.functions?.functionRevision ?? 0 }

    /// Returns the connection if its statements can call functions and collations of the program.
    private func functionHost(for kind: String) throws(StorageError) -> any FunctionHosting {
        guard let host = roles.functions else {
            throw StorageError(.misuse, "the backend does not support custom \(kind)")
        }
        return host
    }

    private func install(_ collation: DatabaseCollation) throws {
        let compare = collation.compare
        defer { distrust(.comparing(byCollationNamed: collation.name)) }
        try storage { () throws(StorageError) in
            try functionHost(for: "collations").add(
                StorageCollation(name: collation.name) { a, b in compare(a, b).rawValue })
        }
    }

    private func install(_ function: DatabaseFunction) throws {
        let body: StorageFunction.Body =
            switch function.body {
            // The database owns its connection: a function must not retain the database.
            case .scalar(let scalar):
                .scalar { [reference] arguments throws(StorageError) in
                    try Self.call(reference.database) { try scalar(arguments.map { DatabaseValue($0) }) }
                }
            case .aggregate(let make):
                .aggregate { [reference] in Aggregation(make(), database: reference.database) }
            }
        defer { distrust(.callingFunction(named: function.name)) }
        try storage { () throws(StorageError) in
            try functionHost(for: "functions").add(
                StorageFunction(
                    name: function.name, argumentCount: function.id.argumentCount, isPure: function.isPure,
                    isHarmless: function.isHarmless, body: body))
        }
    }

    /// Observations derive row conditions from `LIKE` and `GLOB`, and from the comparison of text, with
    /// SQLite's own meaning. If the meaning changes, observations on all connections of the database must
    /// drop these conditions.
    private func distrust(_ conditions: DoubtfulConditions) {
        if !conditions.isEmpty { meaningsDidChange(conditions) }
    }

    /// Drops conditions, and makes all observations fetch, on all connections of the database.
    ///
    /// - Parameter isReported: whether the caller reports a change of the whole database next.
    func meaningsDidChange(_ conditions: DoubtfulConditions, isReported: Bool = false) {
        coordinator?.distrust(conditions, isReported: isReported, self)
        connectionDidChange?(.meanings(conditions))
    }

    fileprivate static func call(
        _ db: Database?, _ function: () throws -> (any DatabaseValueConvertible)?
    ) throws(StorageError) -> StorageValue {
        db?.functionCalls.willCall()
        defer { db?.functionCalls.didReturn() }
        do {
            return try function()?.databaseValue.storageValue ?? .null
        } catch let error as DatabaseError {
            throw StorageError(
                .init(rawValue: error.extendedResultCode.rawValue),
                error.message ?? error.extendedResultCode.text)
        } catch {
            throw StorageError(.error, "\(error)")
        }
    }
}

/// The state of an aggregate for one group of rows.
private final class Aggregation: StorageAggregation {
    private var aggregate: any DatabaseAggregate
    private let reference: UnretainedDatabase?

    init(_ aggregate: any DatabaseAggregate, database: Database?) {
        self.aggregate = aggregate
        reference = database?.reference
    }

    func step(_ arguments: [StorageValue]) throws(StorageError) {
        _ = try Database.call(reference?.database) {
            try aggregate.step(arguments.map { DatabaseValue($0) })
            return nil
        }
    }

    func finish() throws(StorageError) -> StorageValue {
        try Database.call(reference?.database) { try aggregate.finalize() }
    }
}

/// Counts the running functions: a function may run statements that call other functions.
struct FunctionCalls {
    private var depth = 0

    var isRunning: Bool { depth > 0 }

    mutating func willCall() { depth += 1 }
    mutating func didReturn() { depth -= 1 }
}

extension Database {
    /// Whether a function is running on behalf of a writing statement. The function's own changes are
    /// committed or undone along with the outer statement, so the end of the function's statements does not
    /// determine their outcome.
    var isInsideWritingStatement: Bool {
        functionCalls.isRunning && roles.functions?.isRunningWrite == true
    }
}
