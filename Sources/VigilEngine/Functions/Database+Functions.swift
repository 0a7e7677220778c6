import Foundation
import VigilRegions
import VigilStorage

extension Database {
    /// Adds a function, or replaces the one of the same name and number of arguments.
    ///
    /// A function `like` or `glob` gives the operators `LIKE` and `GLOB` another meaning. From then on these operators no
    /// longer tell an observation which rows concern it, on any connection of the database.
    ///
    /// Add it in ``Configuration/prepareDatabase(_:)`` if all connections of a pool are to have it. If it cannot be
    /// added (its name is longer than 255 bytes, or a running statement calls the one that it replaces), the next
    /// statement of this connection fails with the reason.
    public func add(function: DatabaseFunction) {
        deferringError { try install(function) }
    }

    /// Removes a function. Statements that call it fail from then on.
    public func remove(function: DatabaseFunction) {
        deferringError {
            defer { noteChange(ofFunctionNamed: function.name) }
            try storage { () throws(StorageError) in
                try functionHost().removeFunction(
                    named: function.name, argumentCount: function.id.argumentCount)
            }
        }
    }

    /// Adds a collation, or replaces the one of the same name.
    ///
    /// Add it in ``Configuration/prepareDatabase(_:)`` if all connections of a pool are to have it. If it cannot be
    /// added (a running statement uses the one that it replaces), the next statement of this connection fails with
    /// the reason.
    public func add(collation: DatabaseCollation) {
        deferringError { try install(collation) }
    }

    /// Removes a collation. Statements that need it fail from then on.
    public func remove(collation: DatabaseCollation) {
        deferringError {
            try storage { () throws(StorageError) in
                try collationHost().removeCollation(named: collation.name)
            }
        }
    }

    /// Adds what every connection has.
    func installStandardFunctions() throws {
        if connection is any FunctionHosting {
            for function in DatabaseFunction.standard { try install(function) }
        }
        if connection is any CollationHosting {
            for collation in DatabaseCollation.standard { try install(collation) }
        }
    }

    // MARK: - Errors

    /// Keeps the error for the next statement: the functions that call this do not throw.
    private func deferringError(_ body: () throws -> Void) {
        do {
            try body()
        } catch let error as DatabaseError {
            // The first reason is the one to be told.
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

    private func functionHost() throws(StorageError) -> any FunctionHosting {
        guard let host = connection as? any FunctionHosting else {
            throw StorageError(.misuse, "this backend has no custom functions")
        }
        return host
    }

    private func collationHost() throws(StorageError) -> any CollationHosting {
        guard let host = connection as? any CollationHosting else {
            throw StorageError(.misuse, "this backend has no custom collations")
        }
        return host
    }

    private func install(_ collation: DatabaseCollation) throws {
        let compare = collation.compare
        try storage { () throws(StorageError) in
            try collationHost().add(
                StorageCollation(name: collation.name) { a, b in compare(a, b).rawValue })
        }
    }

    private func install(_ function: DatabaseFunction) throws {
        let body: StorageFunction.Body =
            switch function.body {
            // The connection belongs to the database: a function must not keep it alive.
            case .scalar(let scalar):
                .scalar { [reference] arguments throws(StorageError) in
                    try Self.call(reference.database) { try scalar(arguments.map { DatabaseValue($0) }) }
                }
            case .aggregate(let make):
                .aggregate { [reference] in Aggregation(make(), database: reference.database) }
            }
        defer { noteChange(ofFunctionNamed: function.name) }
        try storage { () throws(StorageError) in
            try functionHost().add(
                StorageFunction(
                    name: function.name, argumentCount: function.id.argumentCount, isPure: function.isPure,
                    body: body))
        }
    }

    /// Conditions on rows are read from `LIKE` and `GLOB` as long as they mean what they mean to SQLite, and they are
    /// remembered by whoever observes: those who use the same database through other connections, too.
    private func noteChange(ofFunctionNamed name: String) {
        guard ["like", "glob"].contains(name.foldedName) else { return }
        changes?.forgetPrefixes(self)
        connectionDidChange?(.patterns)
    }

    /// Runs a function for the statement that calls it.
    fileprivate static func call(
        _ db: Database?, _ function: () throws -> (any DatabaseValueConvertible)?
    ) throws(StorageError) -> StorageValue {
        db?.functionCalls.enter()
        defer { db?.functionCalls.leave() }
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

/// One group of an aggregate.
private final class Aggregation: StorageAggregation {
    private var aggregate: any DatabaseAggregate
    private let reference: DatabaseReference?

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
