public import VigilEngine

extension Database {
    /// Creates a view of a request.
    ///
    /// ```swift
    /// try db.create(view: "hero", as: SQLRequest("SELECT * FROM player WHERE score > \(1000)"))
    /// ```
    ///
    /// - Parameter columns: the names of the columns; those of the request if it is `nil`.
    /// - Throws: `DatabaseError`.
    public func create(
        view name: String, options: ViewOptions = [], columns: [String]? = nil,
        as request: any SQLSubqueryable
    ) throws {
        let query = SQL(elements: [.fragment(request.sqlSubquery.content)])
        try create(view: name, options: options, columns: columns, asLiteral: query)
    }

    /// Creates a view of a query. Values are written into it.
    ///
    /// - Parameter columns: the names of the columns; those of the query if it is `nil`.
    /// - Throws: `DatabaseError`.
    public func create(
        view name: String, options: ViewOptions = [], columns: [String]? = nil, asLiteral sqlLiteral: SQL
    ) throws {
        var sql: SQL = options.contains(.temporary) ? "CREATE TEMPORARY VIEW " : "CREATE VIEW "
        if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
        sql += "\(identifier: name) "
        if let columns { sql.append(sql: columns.quotedList + " ") }
        try define(sql + "AS \(sqlLiteral)")
    }

    /// Drops a view.
    ///
    /// - Throws: `DatabaseError` if there is no such view.
    public func drop(view name: String) throws {
        try define("DROP VIEW \(identifier: name)")
    }
}
