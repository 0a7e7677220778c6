public import VigilEngine

extension Database {
    /// Creates a table, and the indexes that its definition asks for.
    ///
    /// ```swift
    /// try db.create(table: "player", options: [.ifNotExists, .strict]) { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.column("name", .text).notNull()
    ///     t.column("score", .integer).notNull().defaults(to: 0)
    /// }
    /// ```
    ///
    /// - Throws: `DatabaseError`, with `SQLITE_MISUSE` for a definition that contradicts itself. Outside of a
    ///   transaction, the table stays if one of its indexes fails.
    public func create(
        table name: String, options: TableOptions = [], body: (TableDefinition) throws -> Void
    ) throws {
        let definition = TableDefinition(name: name)
        try body(definition)
        let statements = try TableStatements(self, definition, options: options)
        try define(statements.table)
        for index in statements.indexes { try define(index) }
    }

    /// Creates a table, and the indexes that its definition asks for.
    ///
    /// ``create(table:options:body:)`` knows more options.
    @_disfavoredOverload
    public func create(
        table name: String, temporary: Bool = false, ifNotExists: Bool = false, withoutRowID: Bool = false,
        body: (TableDefinition) throws -> Void
    ) throws {
        var options: TableOptions = []
        if temporary { options.insert(.temporary) }
        if ifNotExists { options.insert(.ifNotExists) }
        if withoutRowID { options.insert(.withoutRowID) }
        try create(table: name, options: options, body: body)
    }

    /// Renames a table, also in foreign keys, triggers and views.
    ///
    /// - Throws: `DatabaseError` if there is no such table, or one of the new name.
    public func rename(table name: String, to newName: String) throws {
        try define("ALTER TABLE \(identifier: name) RENAME TO \(identifier: newName)")
    }

    /// Changes the columns of a table, one change after the other.
    ///
    /// ```swift
    /// try db.alter(table: "player") { t in
    ///     t.add(column: "url", .text)
    /// }
    /// ```
    ///
    /// - Throws: `DatabaseError`. Outside of a transaction, the changes before the one that failed stay.
    public func alter(table name: String, body: (TableAlteration) throws -> Void) throws {
        let alteration = TableAlteration()
        try body(alteration)
        for change in alteration.changes {
            for statement in try change.statements(self, table: name) { try define(statement) }
        }
    }

    /// Drops a table, with its rows, indexes and triggers.
    ///
    /// - Throws: `DatabaseError` if there is no such table, or if rows of other tables refer to it.
    public func drop(table name: String) throws {
        try define("DROP TABLE \(identifier: name)")
    }

    /// Runs a statement that cannot have parameters.
    func define(_ statement: SQL) throws {
        try execute(sql: statement.buildWithLiterals(self))
    }
}
