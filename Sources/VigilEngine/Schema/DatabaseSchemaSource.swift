/// Tells about the schema what the database cannot know.
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
    /// The columns that tell the rows of a view apart: none of them NULL, and no two rows with the same values.
    ///
    /// - Returns: `nil` to leave the view to others, and an empty array for a view without primary key.
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
    public func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
        nil
    }

    /// A source that asks `other` where this one says nothing.
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
    /// Runs `block` with another schema source, or with none.
    public func withSchemaSource<T>(
        _ schemaSource: (any DatabaseSchemaSource)?, execute block: () throws -> T
    ) rethrows -> T {
        let outer = self.schemaSource
        self.schemaSource = schemaSource
        // What one source said must not be taken for what another says.
        schema.primaryKeys = [:]
        defer {
            self.schemaSource = outer
            schema.primaryKeys = [:]
        }
        return try block()
    }
}
