import CVigilSQLite
package import VigilStorage

extension SQLiteConnection: RowImageProviding {
    package func provideRowImages(of tables: Set<TableName>) {
        guard !capabilities.reportsRowImages else { return }
        changes.triggers.provide(for: tables)
    }

    /// The triggers that hand over values, and the tables that they are on, in temporary or other schemas.
    func rowImageTriggers() throws(StorageError) -> [(name: String, table: String)] {
        try query(
            "SELECT name, tbl_name FROM sqlite_temp_master WHERE type = 'trigger' AND \(Self.isRowImageTrigger)"
        ).compactMap { row in
            guard let name = row[0].text, let table = row[1].text else { return nil }
            return (name, table)
        }
    }

    /// A condition on rows of the schema's table.
    static let isRowImageTrigger =
        "substr(name, 1, \(RowImagePlan.namePrefix.count)) = '\(RowImagePlan.namePrefix)'"

    /// How the rows of a table can hand over their values; `nil` where that would not be sound, or be no use.
    func rowImagePlan(for table: TableName) throws(StorageError) -> RowImagePlan? {
        guard let facts = try facts(of: table.name, in: table.schema), facts.table.kind == .table,
            facts.table.hasRowID, facts.owner == nil,
            // What replaces rows is told coarsely anyway.
            !facts.mayReplace,
            !facts.table.name.name.lowercased().hasPrefix("sqlite_"),
            let rowID = facts.table.rowIDName, try triggersLeaveRowsAlone(facts.table.name)
        else { return nil }
        let columns = facts.table.columns.map(\.name).filter { !facts.generatedColumns.contains($0) }
        return columns.isEmpty ? nil : RowImagePlan(table: facts.table.name, columns: columns, rowID: rowID)
    }

    /// Whether no trigger of the user's runs between the moment when the old values are read and the change: it could
    /// change the row, and the old values then be out of date.
    private func triggersLeaveRowsAlone(_ table: TableName) throws(StorageError) -> Bool {
        for master in Set([schemaTable(of: table.schema), schemaTable(of: "temp")]) {
            let triggers = try query(
                """
                SELECT name, sql FROM \(master)
                WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE AND NOT \(Self.isRowImageTrigger)
                """, [.text(table.name)])
            for trigger in triggers {
                guard let name = trigger[0].text, let sql = trigger[1].text,
                    Self.runsAfterChange(triggerNamed: name, sql)
                else { return false }
            }
        }
        return true
    }

    /// Whether a trigger says AFTER. One that does not say when it runs, runs before.
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
        // The name, perhaps after its schema's.
        let rest = Array(words.prefix(3))
        return rest.count == 3
            && (rest[0].isSameName(as: name) && rest[1].isSameName(as: "AFTER")
                || rest[1].isSameName(as: name) && rest[2].isSameName(as: "AFTER"))
    }

    var functionArgumentLimit: Int {
        handle.map { Int(api.pointee.limit($0, SQLiteLimit.functionArguments, -1)) } ?? 0
    }

    /// Compiles and runs a statement that is no concern of the change reporter's.
    func runInternally(_ sql: String) throws(StorageError) {
        let statement = try compileInternally(sql)
        let code = api.pointee.step(statement)
        let error = code == SQLiteCode.done || code == SQLiteCode.row ? nil : lastError(code, sql: sql)
        _ = api.pointee.finalize(statement)
        if let error { throw error }
    }

    /// Adds the function that the triggers call.
    func addRowImageFunction() throws(StorageError) {
        let handle = try openHandle()
        let function = vigil_sqlite_function(
            context: Unmanaged.passRetained(changes).toOpaque(),
            call: { context, _, count, values in
                guard let context, let values else { return }
                Unmanaged<ChangeReporter>.fromOpaque(context).takeUnretainedValue()
                    .didHandOver(values, count: Int(count))
            },
            finish: nil,
            release: { context in
                if let context { Unmanaged<ChangeReporter>.fromOpaque(context).release() }
            })
        let code = vigil_sqlite_create_function(
            api, handle, RowImagePlan.functionName, -1, SQLiteFunctionFlag.utf8, function)
        guard code == SQLiteCode.ok else { throw lastError(code) }
    }

    /// Called when a statement did not compile: it may be on account of a trigger that names what is no more.
    ///
    /// - Returns: whether it may compile now.
    func removesObstacle(_ code: Int32) -> Bool {
        code & 0xFF == SQLiteCode.error && changes.triggers.dropStale(self, changes)
    }
}

extension StorageTable {
    /// A name that stands for the row id, and for no other column.
    fileprivate var rowIDName: String? {
        ["rowid", "_rowid_", "oid"].first { name in !columns.contains { $0.name.isSameName(as: name) } }
            ?? rowIDColumn?.quotedSQLName
    }
}
