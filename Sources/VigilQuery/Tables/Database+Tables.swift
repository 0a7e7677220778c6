public import VigilEngine
import VigilStorage

extension Database {
    /// Creates a table, and the indexes of its definition.
    ///
    /// ```swift
    /// try db.create(table: "player", options: [.ifNotExists, .strict]) { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.column("name", .text).notNull()
    ///     t.column("score", .integer).notNull().defaults(to: 0)
    /// }
    /// ```
    ///
    /// - Throws: The error of `body`, or `DatabaseError`: with `SQLITE_MISUSE` if the definition is
    ///   contradictory, or if it needs a newer version of SQLite than the library's. Outside of a
    ///   transaction, the table remains if creating one of its indexes fails.
    public func create(
        table name: String, options: TableOptions = [], body: (TableDefinition) throws -> Void
    ) throws {
        if options.contains(.strict) { try require(.strictTables) }
        try checkNameOfNewTable(name)
        let definition = TableDefinition(name: name)
        try body(definition)
        let statements = try TableStatements(self, definition, options: options)
        try define(statements.table)
        for index in statements.indexes { try define(index) }
    }

    /// Creates a table, and the indexes of its definition.
    ///
    /// Equivalent to ``create(table:options:body:)``, with Boolean parameters instead of options.
    ///
    /// - Throws: The error of `body`, or `DatabaseError`.
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

    /// Renames a table, and the references to it in foreign keys, triggers and views.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if the new name is in use.
    public func rename(table name: String, to newName: String) throws {
        try checkNameOfNewTable(newName)
        try define("ALTER TABLE \(identifier: name) RENAME TO \(identifier: newName)")
    }

    /// Alters a table. The changes are made in the order of the calls in `body`.
    ///
    /// ```swift
    /// try db.alter(table: "player") { t in
    ///     t.add(column: "url", .text)
    /// }
    /// ```
    ///
    /// - Throws: The error of `body`, or `DatabaseError`. Outside of a transaction, the changes before the
    ///   failed one remain.
    public func alter(table name: String, body: (TableAlteration) throws -> Void) throws {
        let alteration = TableAlteration()
        try body(alteration)
        for change in alteration.changes {
            for statement in try change.statements(self, table: name) { try define(statement) }
        }
    }

    /// Drops a table, with its rows, indexes and triggers.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if rows of other tables refer to its rows.
    public func drop(table name: String) throws {
        try define("DROP TABLE \(identifier: name)")
    }

    /// Checks the name of a new table or view: it must not contain a schema.
    ///
    /// - Throws: `SQLITE_MISUSE` on servers if there is a dot in the name.
    func checkNameOfNewTable(_ name: String) throws {
        guard dialect.hasManySchemas, let dot = name.firstIndex(of: ".") else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                the name \(name) contains a dot: to use the schema \(name[..<dot]), put it into the search path \
                (SET search_path), and name tables without it
                """)
    }

    /// Runs a schema change. Such a statement cannot have parameters, so its values become literals. They are
    /// then part of the schema, where every reader of the database can see them.
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments of an SQL text cannot become literals.
    func define(_ statement: SQL) throws {
        try execute(sql: statement.build(self, withLiterals: true).sql)
    }
}
