public import VigilEngine
import VigilStorage

/// Whether a dump of tables contains their names.
///
/// ```swift
/// try db.dumpTables(["player"], tableHeader: .always)
/// ```
public enum DumpTableHeaderOptions: Sendable {
    /// The tables are named if there are several.
    case automatic
    /// The tables are always named.
    case always
}

extension Database {
    /// Runs statements, and writes their rows.
    ///
    /// ```swift
    /// try db.dumpSQL("SELECT * FROM player WHERE score > \(minimum)")
    /// ```
    ///
    /// - Parameters:
    ///   - sql: one or several statements.
    ///   - format: the format of the rows.
    ///   - stream: the stream to write to. If `nil`, standard output.
    /// - Throws: `DatabaseError` if a statement fails, or the error of the format.
    public func dumpSQL(
        _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        var stream = DumpStream(stream)
        let statements = try allStatements(literal: sql)
        while let statement = try statements.next() { try writeRows(of: statement, format, &stream) }
    }

    /// Writes the rows of a request.
    ///
    /// ```swift
    /// try db.dumpRequest(Player.all(), format: .line())
    /// ```
    ///
    /// The rows of prefetched associations follow, each association after an empty line and its key.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - format: the format of the rows.
    ///   - stream: the stream to write to. If `nil`, standard output.
    /// - Throws: `DatabaseError` if the request fails, or the error of the format.
    public func dumpRequest(
        _ request: some FetchRequest, format: some DumpFormat = .debug(),
        to stream: (any TextOutputStream)? = nil
    ) throws {
        var stream = DumpStream(stream)
        try writeRows(of: request, format, &stream)
    }

    /// Writes the rows of tables and views.
    ///
    /// The rows of a table are ordered by its primary key.
    ///
    /// ```swift
    /// try db.dumpTables(["player", "team"])
    /// ```
    ///
    /// - Parameters:
    ///   - tables: the names of tables and views.
    ///   - format: the format of the rows.
    ///   - tableHeader: whether each table is preceded by its name.
    ///   - stableOrder: whether the rows of views are ordered by their primary key, if
    ///     `Configuration.schemaSource` defines one, or else by all of their columns. If `false`, they are in
    ///     the order of the view.
    ///   - stream: the stream to write to. If `nil`, standard output.
    /// - Throws: `DatabaseError` if a table does not exist or cannot be read, or the error of the format.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(),
        tableHeader: DumpTableHeaderOptions = .automatic, stableOrder: Bool = false,
        to stream: (any TextOutputStream)? = nil
    ) throws {
        var stream = DumpStream(stream)
        try dumpTables(
            tables, format, hasHeaders: tableHeader == .always || tables.count > 1,
            stableOrder: stableOrder, to: &stream)
    }

    /// Writes the schema, and the rows of all tables.
    ///
    /// ```swift
    /// // sqlite_master
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
    /// //
    /// // player
    /// // 1|Arthur
    /// try db.dumpContent()
    /// ```
    ///
    /// Leaves out the internal tables of SQLite, the tables of migrators, and the tables with the content of
    /// virtual tables.
    ///
    /// - Parameters:
    ///   - format: the format of the rows.
    ///   - stream: the stream to write to. If `nil`, standard output.
    /// - Throws: `DatabaseError` if the database cannot be read, or the error of the format.
    public func dumpContent(
        format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        var stream = DumpStream(stream)
        let objects = try dumpedObjects()
        write(objects, &stream)
        stream.margin()
        let tables = objects.filter { $0.kind == .table }.map(\.name)
        try dumpTables(tables, format, hasHeaders: true, stableOrder: true, to: &stream)
    }

    /// Writes the statements creating the tables, indexes, triggers and views.
    ///
    /// Leaves out the same tables as ``dumpContent(format:to:)``.
    ///
    /// - Parameter stream: the stream to write to. If `nil`, standard output.
    /// - Throws: `DatabaseError` if the schema cannot be read.
    public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
        var stream = DumpStream(stream)
        write(try dumpedObjects(), &stream)
    }

    // MARK: - Rows

    private func writeRows(of statement: Statement, _ format: some DumpFormat, _ stream: inout DumpStream)
        throws
    {
        var format = format
        let rows = try Row.fetchCursor(statement)
        while let row = try rows.next() { try format.writeRow(self, row: row, to: &stream) }
        format.finalize(self, statement: statement, to: &stream)
    }

    private func writeRows(
        of request: some FetchRequest, _ format: some DumpFormat, _ stream: inout DumpStream
    ) throws {
        let prepared = try request.makePreparedRequest(self, forSingleResult: false)
        try writeRows(of: prepared.statement, format, &stream)
        guard let prefetchedRequests = prepared.prefetchedRequests else { return }
        let rows = try Row.fetchAll(prepared.statement, adapter: prepared.adapter)
        for prefetched in try prefetchedRequests(self, rows) {
            stream.write("\n")
            stream.writeLine(prefetched.keyPath.joined(separator: "."))
            for request in prefetched.requests { try writeRows(of: request, format, &stream) }
        }
    }

    private func dumpTables(
        _ tables: [String], _ format: some DumpFormat, hasHeaders: Bool, stableOrder: Bool,
        to stream: inout DumpStream
    ) throws {
        for (index, table) in tables.enumerated() {
            if index > 0 { stream.write("\n") }
            if hasHeaders { stream.writeLine(table) }
            let query: SQL = "SELECT * FROM \(identifier: table)"
            let order = try order(ofTable: table, stableOrder: stableOrder)
            try writeRows(of: makeStatement(literal: query + order), format, &stream)
        }
    }

    private func order(ofTable table: String, stableOrder: Bool) throws -> SQL {
        guard try tableExists(table) || stableOrder else { return "" }
        // A view may not have a primary key.
        let columns = try (try? primaryKey(table).columns) ?? columns(in: table).map(\.name)
        // A table may have neither a primary key nor row ids, and columns of types without an order.
        guard !columns.isEmpty else { return "" }
        return " ORDER BY \(columns.map { SQL("\(identifier: $0)") }.joined(separator: ", "))"
    }

    // MARK: - Schema

    /// Returns the objects of the schema in the order of their tables: each table precedes its indexes,
    /// triggers and views.
    private func dumpedObjects() throws -> [StorageSchemaObject] {
        let shadows = Set(
            (try? embedded?.shadowTableNames(in: SchemaNaming.main))?.map(\.foldedName) ?? [])
        let definitions = try tableDefinitions(in: SchemaNaming.main)
        return try schemaObjects(in: SchemaNaming.main)
            .map { object in
                var object = object
                if object.kind == .table { object.sql = object.sql ?? definitions[object.name] }
                return object
            }
            .filter { object in
                object.sql != nil && !schemaNaming.isInternal(object.name)
                    && !AppliedMigrations.contains(object.tableName)
                    && !shadows.contains(object.tableName.foldedName)
            }
            .sorted { $0.dumpOrder.lexicographicallyPrecedes($1.dumpOrder) }
    }

    private func write(_ objects: [StorageSchemaObject], _ stream: inout DumpStream) {
        stream.writeLine(schemaNaming.schemaTable(of: SchemaNaming.main).name)
        for object in objects { stream.writeLine("\(object.sql ?? "");") }
    }
}

extension StorageSchemaObject {
    fileprivate var dumpOrder: [String] { [tableName.foldedName, kind.dumpOrder, name.foldedName] }
}

extension StorageSchemaObject.Kind {
    fileprivate var dumpOrder: String {
        switch self {
        case .table: "1"
        case .index: "2"
        case .trigger: "3"
        case .view: "4"
        }
    }
}
