public import VigilEngine
import VigilStorage

extension Database {
    /// Creates an index on columns.
    ///
    /// ```swift
    /// try db.create(index: "playerByEmail", on: "player", columns: ["email"], options: .unique)
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the index.
    ///   - table: the name of the table.
    ///   - columns: the names of the columns.
    ///   - options: the options of the index.
    ///   - condition: selects the rows of a partial index. If `nil`, the index covers all rows.
    /// - Throws: `DatabaseError` if the index cannot be created.
    public func create(
        index name: String, on table: String, columns: [String], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try define(.createIndex(name, on: table, columns: columns, options: options, condition: condition))
    }

    /// Creates an index on columns.
    ///
    /// Like ``create(index:on:columns:options:condition:)``, with Boolean parameters instead of options.
    ///
    /// - Throws: `DatabaseError` if the index cannot be created.
    @_disfavoredOverload
    public func create(
        index name: String, on table: String, columns: [String], unique: Bool = false,
        ifNotExists: Bool = false, condition: (any SQLExpressible)? = nil
    ) throws {
        var options: IndexOptions = []
        if unique { options.insert(.unique) }
        if ifNotExists { options.insert(.ifNotExists) }
        try create(index: name, on: table, columns: columns, options: options, condition: condition)
    }

    /// Creates an index on expressions.
    ///
    /// ```swift
    /// try db.create(index: "playerByName", on: "player", expressions: ["name COLLATE NOCASE" as SQL])
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the index.
    ///   - table: the name of the table.
    ///   - expressions: the expressions, in the order of the index.
    ///   - options: the options of the index.
    ///   - condition: selects the rows of a partial index. If `nil`, the index covers all rows.
    /// - Throws: `DatabaseError` if the index cannot be created.
    public func create(
        index name: String, on table: String, expressions: [any SQLExpressible], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        let expressions = expressions.map { SQL(elements: [.expression($0.sqlExpression)]) }
        try define(
            .createIndex(name, on: table, expressions: expressions, options: options, condition: condition))
    }

    /// Creates an index on columns, named `index_<table>_on_<columns>`.
    ///
    /// ```swift
    /// // CREATE INDEX index_player_on_teamId_name ON player(teamId, name)
    /// try db.create(indexOn: "player", columns: ["teamId", "name"])
    /// ```
    ///
    /// - Parameters:
    ///   - table: the name of the table.
    ///   - columns: the names of the columns.
    ///   - options: the options of the index.
    ///   - condition: selects the rows of a partial index. If `nil`, the index covers all rows.
    /// - Throws: `DatabaseError` if the index cannot be created.
    public func create(
        indexOn table: String, columns: [String], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(
            index: Self.indexName(on: table, columns: columns), on: table, columns: columns,
            options: options, condition: condition)
    }

    /// Drops an index.
    ///
    /// - Throws: `DatabaseError` if the index does not exist.
    public func drop(index name: String) throws {
        try define("DROP INDEX \(identifier: name)")
    }

    /// Drops the index on the given columns, whatever its name. Does nothing without such an index.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if several indexes have these columns.
    public func drop(indexOn table: String, columns: [String]) throws {
        _ = try self.columns(in: table)
        let indexes = try indexes(on: table).filter { index in
            index.columns.elementsEqual(columns) { $0.isSameName(as: $1) }
        }
        guard indexes.count <= 1 else {
            throw DatabaseError(
                message:
                    "more than one index on \(table)(\(columns.joined(separator: ", "))): drop one of them by its name"
            )
        }
        if let index = indexes.first { try drop(index: index.name) }
    }

    /// Rebuilds the indexes with a collation. Call it after the collation has changed.
    ///
    /// - Throws: `DatabaseError` if the collation does not exist, or if rebuilding an index fails.
    public func reindex(collation: Database.CollationName) throws {
        try requireInDialect(.reindexedCollations)
        try define("REINDEX \(collation)")
    }

    /// Rebuilds the indexes with a collation. Call it after the collation has changed.
    ///
    /// - Throws: `DatabaseError` if the collation does not exist, or if rebuilding an index fails.
    public func reindex(collation: DatabaseCollation) throws {
        try reindex(collation: CollationName(rawValue: collation.name))
    }

    static func indexName(on table: String, columns: [String]) -> String {
        "index_\(table)_on_\(columns.joined(separator: "_"))"
    }
}

extension SQL {
    static func createIndex(
        _ name: String, on table: String, columns: [String], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) -> SQL {
        createIndex(
            name, on: table, expressions: columns.map { "\(identifier: $0)" }, options: options,
            condition: condition)
    }

    fileprivate static func createIndex(
        _ name: String, on table: String, expressions: [SQL], options: IndexOptions,
        condition: (any SQLExpressible)?
    ) -> SQL {
        var sql: SQL = options.contains(.unique) ? "CREATE UNIQUE INDEX " : "CREATE INDEX "
        if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
        sql += "\(identifier: name) ON \(identifier: table)(\(expressions.joined(separator: ", ")))"
        if let condition { sql += " WHERE \(condition)" }
        return sql
    }
}

/// Options for creating an index.
///
/// ```swift
/// try db.create(index: "playerByEmail", on: "player", columns: ["email"], options: [.unique, .ifNotExists])
/// ```
public struct IndexOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if an index of this name exists.
    public static let ifNotExists = IndexOptions(rawValue: 1 << 0)

    /// Rejects rows with the same indexed values as another row.
    public static let unique = IndexOptions(rawValue: 1 << 1)
}
