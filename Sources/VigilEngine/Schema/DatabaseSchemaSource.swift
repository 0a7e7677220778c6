/// A type that completes the schema with information that the database itself lacks.
///
/// ```swift
/// struct Views: DatabaseSchemaSource {
///     func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? {
///         view.name == "currentPlayer" ? ["id"] : nil
///     }
/// }
/// configuration.schemaSource = Views()
/// ```
public protocol DatabaseSchemaSource: Sendable {
    /// Returns columns to identify the rows of a view: none of them is ever NULL, and no two rows have the
    /// same values.
    ///
    /// - Returns: The columns, or an empty array for a view without a primary key. If `nil`, the next source
    ///   of a chain is queried.
    /// - Throws: Any error. The method requesting the primary key then throws it.
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
    /// Returns `nil`.
    public func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
        nil
    }

    /// Returns a source that queries `other` if this one returns `nil`.
    ///
    /// ```swift
    /// configuration.schemaSource = Views().then(OtherViews())
    /// ```
    public func then(_ other: some DatabaseSchemaSource) -> some DatabaseSchemaSource {
        ChainedSchemaSource(first: self, second: other)
    }
}

private struct ChainedSchemaSource<First: DatabaseSchemaSource, Second: DatabaseSchemaSource>:
    DatabaseSchemaSource
{
    let first: First
    let second: Second

    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
        try first.columnsForPrimaryKey(db, inView: view) ?? second.columnsForPrimaryKey(db, inView: view)
    }
}

extension Database {
    /// The source of schema information that the database itself lacks: ``Configuration/schemaSource``,
    /// unless ``withSchemaSource(_:execute:)`` sets another one.
    public var schemaSource: (any DatabaseSchemaSource)? { schema.source }

    /// Runs a closure with another schema source, or without one.
    ///
    /// - Throws: The error of the closure.
    public func withSchemaSource<T>(
        _ schemaSource: (any DatabaseSchemaSource)?, execute block: () throws -> T
    ) rethrows -> T {
        let outer = schema.source
        schema.source = schemaSource
        // The primary keys in the cache depend on the source.
        forgetPrimaryKeys()
        defer {
            schema.source = outer
            forgetPrimaryKeys()
        }
        return try block()
    }

    private func forgetPrimaryKeys() {
        schema.cache.primaryKeys = [:]
        schema.cache.derivedByName = [:]
        schema.cache.latestDerivedByName = nil
        schema.cache.derivedByType = DerivedSchemaObjects()
    }
}
