import CVigilSQLite
package import VigilStorage

extension SQLiteConnection {
    package func provideRowImages(of tables: Set<TableName>) {
        guard !capabilities.reportsRowImages else { return }
        reporter.triggers.provide(for: tables)
    }

    /// Returns the row image triggers, which are temporary, with the names of their tables, of any schema.
    func rowImageTriggers() throws(StorageError) -> [(name: String, table: String)] {
        try storedObjects([.trigger], in: "temp").filter { RowImagePlan.isName(ofTrigger: $0.name) }
            .map { ($0.name, $0.tableName) }
    }

    /// Returns the plan for row values by triggers; `nil` where they would be incorrect or useless.
    func rowImagePlan(for table: TableName) throws(StorageError) -> RowImagePlan? {
        guard let metadata = try metadata(of: table.name, in: table.schema), metadata.table.kind == .table,
            metadata.table.hasRowID, metadata.owner == nil,
            // Statements that may replace rows are reported as changes of the whole table anyway.
            !metadata.mayReplace,
            !metadata.table.name.name.lowercased().hasPrefix("sqlite_"),
            let rowID = metadata.table.rowIDName, try triggersLeaveRowsAlone(metadata.table.name)
        else { return nil }
        let columns = metadata.table.columns.map(\.name).filter {
            !metadata.generatedColumns.contains(ExactString($0))
        }
        return columns.isEmpty
            ? nil : RowImagePlan(table: metadata.table.name, columns: columns, rowID: rowID)
    }

    /// Returns whether no user's trigger runs between the read of the old values and the change. Such a
    /// trigger could change the row, and make the old values outdated.
    private func triggersLeaveRowsAlone(_ table: TableName) throws(StorageError) -> Bool {
        for schema in Set([table.schema, "temp"]) {
            for trigger in try triggers(on: table.name, in: schema)
            where !Self.runsAfterChange(triggerNamed: trigger.name, trigger.sql ?? "") {
                return false
            }
        }
        return true
    }

    /// Returns whether a trigger is declared AFTER. Without such a declaration, it runs before the change.
    static func runsAfterChange(triggerNamed name: String, _ sql: String) -> Bool {
        var words = SQLTokens(sql).words[...]
        guard words.popFirst()?.isSameName(as: "CREATE") == true, !name.isSameName(as: "AFTER") else {
            return false
        }
        if words.first?.isSameName(as: "TEMP") == true || words.first?.isSameName(as: "TEMPORARY") == true {
            words.removeFirst()
        }
        guard words.popFirst()?.isSameName(as: "TRIGGER") == true else { return false }
        if Array(words.prefix(3)).map(\.foldedName) == ["if", "not", "exists"] { words.removeFirst(3) }
        // The name, optionally after the schema.
        let rest = Array(words.prefix(3))
        return rest.count == 3
            && (rest[0].isSameName(as: name) && rest[1].isSameName(as: "AFTER")
                || rest[1].isSameName(as: name) && rest[2].isSameName(as: "AFTER"))
    }

    /// Compiles and runs a statement without involving the change reporter.
    func runInternally(_ sql: String) throws(StorageError) {
        let statement = try compileInternally(sql)
        let code = api.pointee.step(statement)
        let error = code == SQLiteCode.done || code == SQLiteCode.row ? nil : lastError(code, sql: sql)
        _ = api.pointee.finalize(statement)
        if let error { throw error }
    }

    func addRowImageFunction() throws(StorageError) {
        let handle = try openHandle()
        let function = vigil_sqlite_function(
            context: Unmanaged.passRetained(reporter).toOpaque(),
            call: { context, _, count, values in
                guard let context, let values else { return }
                Unmanaged<ChangeReporter>.fromOpaque(context).takeUnretainedValue()
                    .receiveRowImages(values, count: Int(count))
            },
            finish: nil,
            release: { context in
                if let context { Unmanaged<ChangeReporter>.fromOpaque(context).release() }
            })
        let code = vigil_sqlite_create_function(
            api, handle, RowImagePlan.functionName, -1, SQLiteFunctionFlag.utf8, function)
        guard code != VIGIL_SQLITE_NO_SLOT else { throw StorageError(.full, Self.noSlotMessage) }
        guard code == SQLiteCode.ok else { throw lastError(code) }
    }

    /// Drops stale triggers, as a trigger may name something missing. Called after a statement did not
    /// compile or was recompiled before it runs. Returns whether another attempt may succeed.
    func dropStaleTriggers(after code: Int32) -> Bool {
        code & 0xFF == SQLiteCode.error && reporter.triggers.dropStale(self, reporter)
    }
}

extension StorageTable {
    /// A name of the row id, different from all columns.
    fileprivate var rowIDName: String? {
        ["rowid", "_rowid_", "oid"].first { name in !columns.contains { $0.name.isSameName(as: name) } }
            ?? rowIDColumn?.quotedSQLName
    }
}
