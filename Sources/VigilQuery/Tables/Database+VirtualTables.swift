public import VigilEngine
import VigilStorage

extension Database {
    /// Creates a virtual table of a module with its arguments.
    ///
    /// ```swift
    /// try db.create(virtualTable: "area", using: "rtree(id, minX, maxX, minY, maxY)")
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - options: The options of the table.
    ///   - module: The name of the module, and its arguments in parentheses, as SQL.
    /// - Throws: `DatabaseError` if the table cannot be created, for example because the library lacks the
    ///   module.
    public func create(
        virtualTable name: String, options: VirtualTableOptions = [], using module: String
    ) throws {
        try requireInDialect(.virtualTables)
        var sql = "CREATE VIRTUAL TABLE "
        if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
        if options.contains(.temporary) { sql += SchemaNaming.temporary + "." }
        try execute(sql: sql + "\(name.quotedDatabaseIdentifier) USING \(module)")
    }

    /// Creates a virtual table.
    ///
    /// ```swift
    /// try db.create(virtualTable: "document", using: FTS5()) { t in
    ///     t.tokenizer = .porter()
    ///     t.column("title")
    ///     t.column("body")
    /// }
    /// ```
    ///
    /// If an error is thrown, the table is not created.
    ///
    /// - Throws: The error of `body` or of the module, or `DatabaseError`, for example without the module.
    public func create<Module: VirtualTableModule>(
        virtualTable tableName: String, options: VirtualTableOptions = [], using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        let definition = module.makeTableDefinition(
            configuration: VirtualTableConfiguration(options: options))
        try body?(definition)
        let arguments = try module.moduleArguments(for: definition, in: self)
        let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
        try inSavepoint {
            try create(virtualTable: tableName, options: options, using: module.moduleName + list)
            try module.database(self, didCreate: tableName, using: definition)
            return .commit
        }
    }

    /// Creates a virtual table of a module with its arguments.
    ///
    /// Equivalent to ``create(virtualTable:options:using:)``, with a Boolean parameter instead of options.
    ///
    /// - Throws: `DatabaseError` if the table cannot be created.
    @_disfavoredOverload
    public func create(virtualTable name: String, ifNotExists: Bool = false, using module: String) throws {
        try create(virtualTable: name, options: ifNotExists ? .ifNotExists : [], using: module)
    }

    /// Creates a virtual table.
    ///
    /// Equivalent to ``create(virtualTable:options:using:_:)``, with a Boolean parameter instead of options.
    ///
    /// - Throws: The error of `body` or of the module, or `DatabaseError`.
    @_disfavoredOverload
    public func create<Module: VirtualTableModule>(
        virtualTable tableName: String, ifNotExists: Bool = false, using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        try create(virtualTable: tableName, options: ifNotExists ? .ifNotExists : [], using: module, body)
    }
}
