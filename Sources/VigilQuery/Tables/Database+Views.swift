public import VigilEngine
import VigilStorage

extension Database {
    /// Creates a view of a request.
    ///
    /// ```swift
    /// try db.create(view: "hero", as: SQLRequest("SELECT * FROM player WHERE score > \(1000)"))
    /// ```
    ///
    /// Values of the request become literals in the view.
    ///
    /// - Parameters:
    ///   - name: the name of the view.
    ///   - options: the options of the view.
    ///   - columns: the names of the view's columns. If `nil`, the names in the request.
    ///   - request: the request for the rows of the view.
    /// - Throws: `DatabaseError` if the view cannot be created.
    public func create(
        view name: String, options: ViewOptions = [], columns: [String]? = nil,
        as request: any SQLSubqueryable
    ) throws {
        let query = SQL(elements: [.fragment(request.sqlSubquery.content)])
        try create(view: name, options: options, columns: columns, asLiteral: query)
    }

    /// Creates a view of a query.
    ///
    /// Values in the query become literals in the view.
    ///
    /// - Parameters:
    ///   - name: the name of the view.
    ///   - options: the options of the view.
    ///   - columns: the names of the view's columns. If `nil`, the names in the query.
    ///   - sqlLiteral: the query for the rows of the view.
    /// - Throws: `DatabaseError` if the view cannot be created.
    public func create(
        view name: String, options: ViewOptions = [], columns: [String]? = nil, asLiteral sqlLiteral: SQL
    ) throws {
        try checkNameOfNewTable(name)
        var sql: SQL = options.contains(.temporary) ? "CREATE TEMPORARY VIEW " : "CREATE VIEW "
        if options.contains(.ifNotExists) {
            try requireInDialect(.conditionalViews)
            sql += "IF NOT EXISTS "
        }
        sql += "\(identifier: name) "
        if let columns { sql.append(sql: columns.quotedList + " ") }
        try define(sql + "AS \(sqlLiteral)")
    }

    /// Drops a view.
    ///
    /// - Throws: `DatabaseError` if the view does not exist.
    public func drop(view name: String) throws {
        try define("DROP VIEW \(identifier: name)")
    }
}

/// Options for creating a view.
///
/// ```swift
/// try db.create(view: "hero", options: .ifNotExists, asLiteral: "SELECT * FROM player WHERE score > 1000")
/// ```
public struct ViewOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if a view of this name exists.
    public static let ifNotExists = ViewOptions(rawValue: 1 << 0)

    /// Creates a temporary view, visible only to its connection, and dropped when the connection closes.
    public static let temporary = ViewOptions(rawValue: 1 << 1)
}
