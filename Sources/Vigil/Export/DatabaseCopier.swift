import VigilEngine
import VigilSQLite
import VigilStorage

/// Copies the schema and the rows of a database to an empty one, by SQL.
struct DatabaseCopier {
    /// The number of rows between two calls of `progress`.
    private static let rowsPerStep = 1000

    /// An entry of `sqlite_master`.
    private struct SchemaObject {
        let type: String
        let name: String
        let table: String
        let sql: String

        var isVirtual: Bool { sql.hasPrefix("CREATE VIRTUAL TABLE") }
    }

    let source: Database
    let destination: Database
    let progress: ((DatabaseExportProgress) throws -> Void)?
    let cancellation: ExportCancellation?
    private(set) var completedRowCount = 0
    private var totalRowCount = 0

    init(
        source: Database, destination: Database, progress: ((DatabaseExportProgress) throws -> Void)?,
        cancellation: ExportCancellation?
    ) {
        self.source = source
        self.destination = destination
        self.progress = progress
        self.cancellation = cancellation
    }

    mutating func copy() throws {
        let objects = try schemaObjects()
        let tables = objects.filter { $0.type == "table" && !$0.isVirtual }
        try copySettings(["encoding", "auto_vacuum"])
        for pragma in ["foreign_keys = OFF", "ignore_check_constraints = ON"] {
            try destination.execute(sql: "PRAGMA \(pragma)")
        }
        // No other connection has opened the file. Other kinds would lock attached files.
        try destination.inTransaction(.deferred) {
            for table in tables { try run(table.sql) }
            if progress != nil { try countRows(tables.map(\.name)) }
            for table in tables { try copyRows(of: table.name) }
            try copySequences()
            try report(nil)
            for object in objects where object.type == "index" { try run(object.sql) }
            try copyStatistics()
            for object in objects where ["view", "trigger"].contains(object.type) { try run(object.sql) }
            try addVirtualTables(objects.filter(\.isVirtual))
            try copySettings(["user_version", "application_id"])
            try cancellation?.check()
            return .commit
        }
    }

    // MARK: - Schema

    /// Returns the objects created with SQL, in the order of their creation.
    private func schemaObjects() throws -> [SchemaObject] {
        let rows = try Row.fetchAll(
            source,
            sql: """
                SELECT type, name, tbl_name, sql FROM main.sqlite_master WHERE sql IS NOT NULL ORDER BY rowid
                """)
        return try rows.map {
            try SchemaObject(
                type: $0.decode(atIndex: 0), name: $0.decode(atIndex: 1), table: $0.decode(atIndex: 2),
                sql: $0.decode(atIndex: 3))
        }.filter { !TableName(name: $0.name).isOfLibrary }
    }

    private func run(_ sql: String) throws {
        try cancellation?.check()
        try destination.execute(sql: sql)
    }

    private func copySettings(_ pragmas: [String]) throws {
        for pragma in pragmas {
            guard let value = try DatabaseValue.fetchOne(source, sql: "PRAGMA main.\(pragma)") else {
                continue
            }
            let text = String.fromDatabaseValue(value) ?? Int.fromDatabaseValue(value).map(String.init)
            if let text { try destination.execute(sql: "PRAGMA main.\(pragma) = '\(text)'") }
        }
    }

    /// Adds virtual tables to the schema without creating them, because their storage tables were copied.
    /// `VACUUM` does the same.
    private func addVirtualTables(_ objects: [SchemaObject]) throws {
        guard !objects.isEmpty else { return }
        try destination.execute(sql: "PRAGMA writable_schema = ON")
        for object in objects {
            try destination.execute(
                sql: """
                    INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, 0, ?)
                    """, arguments: [object.type, object.name, object.table, object.sql])
        }
        try destination.execute(sql: "PRAGMA writable_schema = OFF")
    }

    // MARK: - Rows

    private mutating func countRows(_ tables: [String]) throws {
        for table in tables {
            try cancellation?.check()
            totalRowCount +=
                try Int.fetchOne(source, sql: "SELECT COUNT(*) FROM main.\(table.quotedDatabaseIdentifier)")
                ?? 0
        }
        try report(tables.first)
    }

    /// Copies the last numbers of tables with `AUTOINCREMENT`. The copied rows have set them, too.
    private mutating func copySequences() throws {
        guard try isStored("sqlite_sequence") else { return }
        try destination.execute(sql: "DELETE FROM sqlite_sequence")
        try copyRows(of: "sqlite_sequence", areCounted: false)
    }

    private mutating func copyStatistics() throws {
        guard try source.tableExists("sqlite_stat1", in: "main") else { return }
        // Creates the tables.
        try run("ANALYZE sqlite_master")
        for table in ["sqlite_stat1", "sqlite_stat4"] where try isStored(table) {
            try destination.execute(sql: "DELETE FROM \(table)")
            try copyRows(of: table, areCounted: false)
        }
        try run("ANALYZE sqlite_master")
    }

    /// Returns whether both databases have a table.
    private func isStored(_ table: String) throws -> Bool {
        let query = "SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?"
        return try [source, destination].allSatisfy {
            try Int.fetchOne($0, sql: query, arguments: [table]) != nil
        }
    }

    private mutating func copyRows(of table: String, areCounted: Bool = true) throws {
        let columns = try columnNames(of: table)
        guard !columns.isEmpty else { return }
        let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let parameters = columns.map { _ in "?" }.joined(separator: ", ")
        let name = table.quotedDatabaseIdentifier
        let select = try source.compile("SELECT \(names) FROM main.\(name)")
        defer { select.finalize() }
        let insert = try destination.compile(
            "INSERT INTO main.\(name)(\(names)) VALUES (\(parameters))")
        defer { insert.finalize() }
        guard let cells = insert as? any EmbeddedStatement else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the backend does not support exports")
        }
        var count = 0
        while try copyRow(from: select, to: cells, columns.count) {
            count += 1
            if areCounted { completedRowCount += 1 }
            if count.isMultiple(of: Self.rowsPerStep) { try report(table) }
        }
    }

    /// Copies the next row, and returns whether there was one.
    private func copyRow(
        from select: any StorageStatement, to insert: any EmbeddedStatement, _ count: Int
    ) throws -> Bool {
        do throws(StorageError) {
            guard try select.step() else { return false }
            for index in 0..<count { try insert.bind(borrowing: select.row.cells[index], at: index + 1) }
            _ = try insert.step()
            insert.reset()
            return true
        } catch {
            throw DatabaseError(error)
        }
    }

    /// Returns the stored columns, and the row id if rows have one.
    private func columnNames(of table: String) throws -> [String] {
        // Generated and hidden columns are not listed.
        let columns = try Row.fetchAll(
            source, sql: "PRAGMA main.table_info(\(table.quotedDatabaseIdentifier))"
        ).map { try $0.decode(String.self, forColumn: "name") }
        guard let metadata = try source.metadata(of: table), metadata.hasRowID,
            metadata.rowIDColumn == nil,
            let rowID = ["rowid", "_rowid_", "oid"].first(where: { name in
                !metadata.columns.contains { $0.name.lowercased() == name }
            })
        else { return columns }
        return [rowID] + columns
    }

    private func report(_ table: String?) throws {
        try cancellation?.check()
        try progress?(
            DatabaseExportProgress(
                tableName: table, completedRowCount: completedRowCount, totalRowCount: totalRowCount,
                isCompleted: false))
    }
}

extension Database {
    /// Compiles a statement for use without the checks of `Statement`.
    func compile(_ sql: String) throws -> any StorageStatement {
        do throws(StorageError) {
            guard let statement = try connection.prepare(sql, fromUTF8Offset: 0, isCached: false).statement
            else { throw StorageError(.misuse, "no statement: \(sql)") }
            return statement
        } catch {
            throw DatabaseError(error)
        }
    }

    fileprivate func metadata(of table: String) throws -> StorageTable? {
        do {
            return try connection.table(table, in: "main")
        } catch {
            throw DatabaseError(error)
        }
    }
}
