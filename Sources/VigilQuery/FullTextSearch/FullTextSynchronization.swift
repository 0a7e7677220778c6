import VigilEngine
import VigilStorage

/// The source of the text of a full-text table.
enum FullTextContent {
    /// The table itself, or a table kept in sync with the index by the program.
    case raw(String?)
    /// A table with triggers updating the index.
    case synchronized(String)

    var table: String? {
        switch self {
        case .raw(let table): table
        case .synchronized(let table): table
        }
    }

    /// - Throws: `SQLITE_MISUSE` for a temporary index of another table, because the library cannot build it.
    func checkTemporary(_ options: VirtualTableOptions, _ module: String) throws {
        guard case .synchronized(let table) = self, options.contains(.temporary) else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a temporary \(module) table cannot be synchronized with table \(table): "
                + "create it without the option temporary")
    }
}

/// The statements to synchronize a full-text table with the table of the text.
///
/// The triggers have the same names and the same effect as GRDB's, so either library can drop the triggers of
/// the other.
struct FullTextSynchronization {
    private let index: String
    private let content: String
    private let names: (before: String, after: String)
    private let rowID: String
    private let columns: [String]
    private let create: String

    init(
        _ db: Database, index: String, content: String, columns: [String], options: VirtualTableOptions
    ) throws {
        names = ("__\(index)_b", "__\(index)_a")
        rowID = try db.rowIDName(ofContent: content).quotedDatabaseIdentifier
        self.index = index.quotedDatabaseIdentifier
        self.content = content.quotedDatabaseIdentifier
        self.columns = columns.map(\.quotedDatabaseIdentifier)
        create = options.contains(.ifNotExists) ? "CREATE TRIGGER IF NOT EXISTS" : "CREATE TRIGGER"
    }

    /// Adds all rows of the content to the index.
    var rebuild: String { "INSERT INTO \(index)(\(index)) VALUES('rebuild')" }

    /// FTS4 reads the old text from the content, so the rows must be removed from the index before they
    /// change.
    var triggersOfFTS4: String {
        let delete = "DELETE FROM \(index) WHERE docid=old.\(rowID);"
        let insert = "INSERT INTO \(index)(\(list(["\"docid\""] + columns))) VALUES(\(values(of: "new")));"
        return """
            \(trigger(names.before + "u", on: "BEFORE UPDATE", [delete]))
            \(trigger(names.before + "d", on: "BEFORE DELETE", [delete]))
            \(trigger(names.after + "u", on: "AFTER UPDATE", [insert]))
            \(trigger(names.after + "i", on: "AFTER INSERT", [insert]))
            """
    }

    /// FTS5 is given the old text.
    var triggersOfFTS5: String {
        let target = list(["\"rowid\""] + columns)
        let delete =
            "INSERT INTO \(index)(\(index), \(target)) VALUES('delete', \(values(of: "old")));"
        let insert = "INSERT INTO \(index)(\(target)) VALUES (\(values(of: "new")));"
        return """
            \(trigger(names.after + "i", on: "AFTER INSERT", [insert]))
            \(trigger(names.after + "d", on: "AFTER DELETE", [delete]))
            \(trigger(names.after + "u", on: "AFTER UPDATE", [delete, insert]))
            """
    }

    private func trigger(_ name: String, on event: String, _ statements: [String]) -> String {
        """
        \(create) \(name.quotedDatabaseIdentifier) \(event) ON \(content) BEGIN
            \(statements.joined(separator: "\n    "))
        END;
        """
    }

    private func values(of row: String) -> String {
        list(([rowID] + columns).map { "\(row).\($0)" })
    }

    private func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension Database {
    func dropSynchronizationTriggers(of table: String, _ suffixes: [String]) throws {
        for suffix in suffixes {
            try execute(sql: "DROP TRIGGER IF EXISTS \("__\(table)_\(suffix)".quotedDatabaseIdentifier)")
        }
    }

    /// Throws an error if a column of a table hides the row id from FTS4, because it reads the name `rowid`.
    func checkContentOfFTS4(_ table: String) throws {
        let key = try primaryKey(table).rowIDColumn
        let isHidden = try columns(in: table).contains {
            $0.name.isSameName(as: "rowid") && key?.isSameName(as: "rowid") != true
        }
        guard isHidden else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message:
                "an FTS4 table cannot be synchronized with \(table), whose column rowid hides the row id: "
                + "rename the column, or use FTS5")
    }

    /// Returns the column that identifies the rows of a table for a full-text index: an alias of the row id,
    /// or one of its names.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or is not a table with row ids.
    func rowIDName(ofContent table: String) throws -> String {
        if let column = try primaryKey(table).rowIDColumn { return column }
        guard let metadata = try self.table(named: table), metadata.kind == .table, metadata.hasRowID else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a full-text table cannot be synchronized with \(table), which has no row ids: "
                    + "use an ordinary table that is not declared WITHOUT ROWID")
        }
        let name = ["rowid", "oid", "_rowid_"].first { name in
            !metadata.columns.contains { $0.name.isSameName(as: name) }
        }
        guard let name else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "a full-text table cannot be synchronized with \(table), whose columns hide the row id: "
                    + "rename the column rowid, oid or _rowid_")
        }
        return name
    }
}
