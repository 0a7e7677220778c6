import CVigilSQLite
import VigilStorage

/// Records what the authorizer is asked about while a statement is compiled.
///
/// The authorizer is also called while a statement *runs*: when the statement is recompiled after a schema
/// change, and when a virtual table compiles statements of its own. These accesses are added to the running
/// statement's access.
final class AccessRecorder {
    private(set) var access = StatementAccess()
    /// Whether nothing was recorded since ``begin()``.
    private(set) var isEmpty = true
    private var readColumns: [TableName: Set<String>] = [:]
    private var readsWithoutColumn: Set<ReadWithoutColumn> = []
    /// Tables with column names that a set of strings cannot distinguish.
    private var ambiguousReads: Set<TableName> = []
    private var updateColumns: [TableName: Set<String>] = [:]
    private var plainWrites: Set<TableWrite> = []
    private var effects = UnreportedEffects()
    private var droppedTables: Set<TableName> = []
    /// The tables and views to create, unless they exist: the library asks before it looks for them.
    private var requestedTables: [TableName] = []
    /// The views and triggers that cause reads.
    private var sources: Set<ExactString> = []
    private var pragma: String?
    private var refusedPragma: String?
    /// Whether the library compiles the views of the database to list their columns. The rows of the views do
    /// not matter then.
    private var isListingTables = false

    /// The deletions answered with IGNORE by the authorizer, which makes the library delete row by row.
    enum RowByRowDeletions {
        case none
        /// Deletions by triggers, and deletions compiled during a run, as by virtual tables. They cannot be
        /// reported when a run ends: the statement may never be compiled again, and the run may fail after
        /// them.
        case inner
        case all
    }

    var rowByRowDeletions = RowByRowDeletions.none

    /// A table read without any of its columns, such as by `COUNT(*)`, or by its row id only.
    struct ReadWithoutColumn: Hashable {
        /// The schema; `nil` if the statement does not name it.
        var schema: ExactString?
        var table: ExactString
    }

    init() {}

    /// Creates an empty recorder with the same answers as another one.
    init(like other: AccessRecorder) {
        rowByRowDeletions = other.rowByRowDeletions
    }

    func begin() {
        guard !isEmpty else { return }
        access = StatementAccess()
        readColumns.removeAll(keepingCapacity: true)
        readsWithoutColumn.removeAll()
        if !ambiguousReads.isEmpty { ambiguousReads.removeAll() }
        updateColumns.removeAll(keepingCapacity: true)
        plainWrites.removeAll(keepingCapacity: true)
        effects = UnreportedEffects()
        droppedTables.removeAll()
        requestedTables.removeAll()
        sources.removeAll()
        pragma = nil
        refusedPragma = nil
        isListingTables = false
        isEmpty = true
    }

    /// All recorded accesses since ``begin()``.
    struct Recording {
        var access: StatementAccess
        /// The tables read without a column. They are not among ``StatementAccess/reads``.
        var withoutColumn: Set<ReadWithoutColumn>
        /// The names of views and other sources after FROM that cause reads.
        var sources: Set<ExactString>
        /// The name of the first PRAGMA.
        var pragma: String?
        /// The name of a refused PRAGMA.
        var refusedPragma: String?
        var effects: UnreportedEffects
    }

    /// Returns all recorded accesses since ``begin()``, in a stable order.
    func finish() -> Recording {
        var recording = Recording(
            access: access, withoutColumn: readsWithoutColumn, sources: sources, pragma: pragma,
            refusedPragma: refusedPragma, effects: effects)
        recording.access.reads = readColumns.map { table, columns in
            TableRead(table, columns: ambiguousReads.contains(table) ? nil : columns)
        }
        .sorted { $0.table.precedes($1.table) }
        recording.access.writes =
            plainWrites.sorted {
                // A table can be inserted into and deleted from.
                $0.table == $1.table
                    ? $0.kind == .delete && $1.kind == .insert : $0.table.precedes($1.table)
            }
            + updateColumns.map { TableWrite($0.key, .update(columns: $0.value)) }
            .sorted { $0.table.precedes($1.table) }
        begin()
        return recording
    }

    /// Records a call of the authorizer, and returns its answer.
    ///
    /// - Parameters:
    ///   - source: the innermost trigger or view of the access.
    ///   - isDuringRun: whether a write is running.
    func record(
        _ action: Int32, first: UnsafePointer<CChar>?, second: UnsafePointer<CChar>?,
        schema: UnsafePointer<CChar>?, source: UnsafePointer<CChar>?, isDuringRun: Bool
    ) -> Int32 {
        isEmpty = false
        if let source, !isListingTables { sources.insert(ExactString(String(cString: source))) }
        switch SQLiteAction(rawValue: action) {
        case .read:
            if source == nil || !isListingTables { recordRead(of: first, column: second, schema: schema) }
        case .insert: recordInsertion(into: first, schema: schema)
        case .delete: return recordDelete(first, schema, isInner: source != nil || isDuringRun || hasWrites)
        case .update: recordUpdate(of: first, column: second, schema: schema)
        case .transaction: access.transactionEffect = transactionEffect(first)
        case .savepoint: access.transactionEffect = savepointEffect(first, second)
        case .dropTable, .dropTempTable, .dropView, .dropTempView, .dropVirtualTable:
            if let first { droppedTables.insert(name(first, schema)) }
            recordSchemaChange(of: first, schema)
        case .createTable, .createTempTable, .createView, .createTempView:
            if let first { requestedTables.append(name(first, schema)) }
        case .createVirtualTable: recordSchemaChange(of: first, schema)
        case .createIndex, .createTempIndex, .createTrigger, .createTempTrigger, .dropIndex,
            .dropTempIndex, .dropTrigger, .dropTempTrigger:
            recordSchemaChange(of: second, schema)
        case .alterTable: recordSchemaChange(of: second, first)
        case .attach, .detach:
            access.changesSchema = true
            effects.changesDatabases = true
        case .analyze: if let first { effects.analyzedTables.insert(name(first, schema)) }
        case .pragma: return recordPragma(first, second)
        case .select, .reindex, .function, .recursive, nil: break
        }
        return SQLiteCode.ok
    }

    private func recordPragma(_ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?) -> Int32 {
        guard let name else { return SQLiteCode.ok }
        let pragma = SQLitePragma(String(cString: name))
        if self.pragma == nil { self.pragma = pragma.name }
        if pragma.name == "table_list" { isListingTables = true }
        guard let value else { return SQLiteCode.ok }
        if pragma.changesHeader { effects.changesHeader = true }
        guard pragma.renamesColumns(String(cString: value)) else { return SQLiteCode.ok }
        refusedPragma = pragma.name
        return SQLiteCode.authorizerDeny
    }

    private func name(_ table: UnsafePointer<CChar>, _ schema: UnsafePointer<CChar>?) -> TableName {
        TableName(schema: schema.map { String(cString: $0) } ?? "main", name: String(cString: table))
    }

    /// Records a read. An empty column stands for a table read without a column; the library then passes the
    /// schema only if the statement names it.
    private func recordRead(
        of table: UnsafePointer<CChar>?, column: UnsafePointer<CChar>?, schema: UnsafePointer<CChar>?
    ) {
        guard let table, let column else { return }
        guard column.pointee != 0 else {
            readsWithoutColumn.insert(
                ReadWithoutColumn(
                    schema: schema.map { ExactString(String(cString: $0)) },
                    table: ExactString(String(cString: table))))
            return
        }
        let name = name(table, schema)
        if !readColumns[name, default: []].insertExactly(String(cString: column)) {
            ambiguousReads.insert(name)
        }
    }

    private func recordInsertion(into table: UnsafePointer<CChar>?, schema: UnsafePointer<CChar>?) {
        guard let table, !isSchemaTable(table) else { return }
        plainWrites.insert(TableWrite(name(table, schema), .insert))
    }

    /// Whether a write is recorded. The first one is that of the statement itself. The actions of foreign
    /// keys follow it, without a name.
    private var hasWrites: Bool { !plainWrites.isEmpty || !updateColumns.isEmpty || !droppedTables.isEmpty }

    /// Records a deletion. When a table is dropped, the library also asks for permission to delete its rows.
    /// IGNORE would then keep the table.
    private func recordDelete(
        _ table: UnsafePointer<CChar>?, _ schema: UnsafePointer<CChar>?, isInner: Bool
    ) -> Int32 {
        guard let table, !isSchemaTable(table) else { return SQLiteCode.ok }
        let name = name(table, schema)
        guard !droppedTables.contains(name) else { return SQLiteCode.ok }
        plainWrites.insert(TableWrite(name, .delete))
        let isRowByRow =
            switch rowByRowDeletions {
            case .none: false
            case .inner: isInner
            case .all: true
            }
        if !isRowByRow { effects.truncatedTables.insert(name) }
        return isRowByRow ? SQLiteCode.authorizerIgnore : SQLiteCode.ok
    }

    private func recordUpdate(
        of table: UnsafePointer<CChar>?, column: UnsafePointer<CChar>?, schema: UnsafePointer<CChar>?
    ) {
        guard let table, let column else { return }
        guard !isSchemaTable(table) else { return recordCreations() }
        updateColumns[name(table, schema), default: []].insertWritten(String(cString: column))
    }

    private func recordSchemaChange(of table: UnsafePointer<CChar>?, _ schema: UnsafePointer<CChar>?) {
        access.changesSchema = true
        guard let table else { return }
        access.alteredTables.append(name(table, schema))
    }

    /// Records the creation of the requested tables: the library writes their definitions.
    private func recordCreations() {
        guard !requestedTables.isEmpty else { return }
        access.changesSchema = true
        access.alteredTables += requestedTables
        requestedTables.removeAll()
    }

    private func isSchemaTable(_ table: UnsafePointer<CChar>) -> Bool {
        vigil_sqlite_same_name(table, "sqlite_master") != 0
            || vigil_sqlite_same_name(table, "sqlite_temp_master") != 0
    }

    private func transactionEffect(_ operation: UnsafePointer<CChar>?) -> TransactionEffect? {
        switch operation.map({ String(cString: $0) }) {
        case "BEGIN": .begin
        case "COMMIT": .commit
        case "ROLLBACK": .rollback
        default: nil
        }
    }

    private func savepointEffect(
        _ operation: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?
    ) -> TransactionEffect? {
        let name = name.map { String(cString: $0) } ?? ""
        return switch operation.map({ String(cString: $0) }) {
        case "BEGIN": .savepoint(name)
        case "RELEASE": .release(name)
        case "ROLLBACK": .rollbackTo(name)
        default: nil
        }
    }
}

extension Set<String> {
    /// Inserts the name of a written column. If the set contains a merely canonically equivalent name, it
    /// inserts the row id, which stands for any column.
    mutating func insertWritten(_ name: String) {
        if !insertExactly(name) { insert("ROWID") }
    }
}
