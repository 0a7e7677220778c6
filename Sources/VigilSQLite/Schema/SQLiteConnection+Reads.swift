import CVigilSQLite
import VigilStorage

extension SQLiteConnection {
    /// Returns the accesses recorded during the compilation of a statement.
    func finishRecording(of sql: String) -> (access: StatementAccess, effects: UnreportedEffects) {
        let recording = recorder.finish()
        var access = recording.access
        guard !runsInternalStatement else { return (access, recording.effects) }
        if let pragma = recording.pragma, SQLTokens(sql).startsWith(["PRAGMA"]) {
            access.reads = []
            addReads(of: SQLitePragma(pragma), to: &access)
            return (access, recording.effects)
        }
        if !recording.withoutColumn.isEmpty { add(recording.withoutColumn, to: &access) }
        addReadsOfFunctions(to: &access)
        if joinsByName(sql, recording.sources) {
            addUnreportedReads(of: sql, to: &access)
            for index in access.reads.indices { access.reads[index].columns = nil }
        }
        if access.writes.contains(where: { $0.kind == .insert }) {
            addCopiedTables(sql, recording.sources, to: &access)
        }
        guard SQLTokens.isExplanation(sql) else { return (access, recording.effects) }
        access.removeEffects()
        return (access, UnreportedEffects())
    }

    private func add(_ withoutColumn: Set<AccessRecorder.ReadWithoutColumn>, to access: inout StatementAccess)
    {
        let known = access.reads.count
        for read in withoutColumn {
            for table in tables(meantBy: read) {
                let isUncertain = mayHaveColumnWithoutName(table)
                guard let index = access.reads.firstIndex(where: { $0.table == table }) else {
                    access.reads.append(TableRead(table, columns: isUncertain ? nil : []))
                    continue
                }
                if isUncertain {
                    access.reads[index].columns = nil
                } else {
                    narrow(&access.reads[index])
                }
            }
        }
        if access.reads.count > known {
            access.reads.sort { ($0.table.schema, $0.table.name) < ($1.table.schema, $1.table.name) }
        }
    }

    /// Returns whether columns are compared without being named, by `NATURAL JOIN` or `USING` in the
    /// statement or in one of its views. The library does not report these columns, nor the table if no other
    /// columns are read.
    private func joinsByName(_ sql: String, _ sources: Set<ExactString>) -> Bool {
        if SQLTokens.mayJoinByName(sql) { return true }
        return sources.contains { source in
            guard let definitions = try? viewDefinitions(source.string) else { return true }
            return definitions.contains(where: SQLTokens.mayJoinByName)
        }
    }

    /// Adds the tables copied by `INSERT … SELECT * FROM`, in the statement or in one of its triggers. The
    /// library reports no read if it copies the rows as they are stored.
    private func addCopiedTables(
        _ sql: String, _ sources: Set<ExactString>, to access: inout StatementAccess
    ) {
        var texts = [sql]
        for source in sources {
            guard let definitions = try? viewDefinitions(source.string) else {
                access.readsUnknown = true
                continue
            }
            texts += definitions
        }
        for text in texts where text.utf8.contains(UInt8(ascii: "*")) {
            for source in SQLTokens(text).tablesReadAsAWhole {
                let read = AccessRecorder.ReadWithoutColumn(
                    schema: source.schema.map { ExactString($0) }, table: ExactString(source.name))
                // The statement may also read some of the columns.
                access.formUnion(reads: tables(meantBy: read).filter(isTable).map { TableRead($0) })
            }
        }
    }

    /// Adds the reads of the library's table-valued functions.
    private func addReadsOfFunctions(to access: inout StatementAccess) {
        for read in access.reads {
            let name = read.table.name
            let isOfPages = Self.functionsOfPages.contains(name.foldedName)
            let pragma = SQLitePragma(function: name)
            guard isOfPages || pragma != nil, !isTable(read.table) else { continue }
            if isOfPages { access.readsUnknown = true }
            if let pragma { addReads(of: pragma, to: &access) }
        }
    }

    /// Functions that return information about the pages of the database.
    private static let functionsOfPages: Set<String> = ["dbstat", "sqlite_dbpage"]

    /// Adds the reads of a PRAGMA. The schema tables stand for the schema and for the header of the file.
    private func addReads(of pragma: SQLitePragma, to access: inout StatementAccess) {
        if pragma.readsContent { access.readsUnknown = true }
        access.formUnion(reads: schemaTables.map { TableRead($0) })
    }

    var schemaTables: [TableName] {
        ((try? possibleSchemas()) ?? ["temp", "main"]).map {
            TableName(schema: $0, name: $0.isSameName(as: "temp") ? "sqlite_temp_master" : "sqlite_master")
        }
    }

    private func viewDefinitions(_ name: String) throws(StorageError) -> [String] {
        var definitions: [String] = []
        for schema in try possibleSchemas() {
            definitions += try storedObjects(named: name, in: schema)
                .filter { $0.kind == .view || $0.kind == .trigger }.compactMap(\.sql)
        }
        return definitions
    }

    /// Returns the tables that a read may refer to. Without a schema, the table may be in any.
    private func tables(meantBy read: AccessRecorder.ReadWithoutColumn) -> [TableName] {
        let name = read.table.string
        if let schema = read.schema?.string { return [TableName(schema: schema, name: name)] }
        guard schemas.hasTemporary || schemas.hasAttached else { return [TableName(name: name)] }
        let names = ((try? possibleSchemas()) ?? ["temp", "main"]).map { TableName(schema: $0, name: name) }
        let tables = names.filter { isTable($0) }
        guard tables.isEmpty else { return tables }
        let view = names.first { (try? table($0.name, in: $0.schema)) != nil }
        return [view ?? TableName(name: name)]
    }

    /// Narrows a read of the row id only, reported as a column by the library, to a read of no columns: it
    /// depends only on the existence of rows.
    private func narrow(_ read: inout TableRead) {
        guard let columns = read.columns, !columns.isEmpty else { return }
        let source = FromClause.Source(schema: read.table.schema, name: read.table.name)
        guard let metadata = try? table(meantBy: source) else {
            read.columns = nil
            return
        }
        let isRowID = columns.allSatisfy { column in
            if let rowIDColumn = metadata.table.rowIDColumn { return rowIDColumn.isSameName(as: column) }
            return column == "ROWID" && metadata.table.hasRowID
                && !metadata.table.columns.contains { $0.name.isSameName(as: column) }
        }
        if isRowID { read.columns = [] }
    }

    /// Returns whether a table may have a column with an empty name. The library reports reads of such a
    /// column like reads without a column.
    private func mayHaveColumnWithoutName(_ table: TableName) -> Bool {
        api.pointee.table_column_metadata(handle, table.schema, table.name, "", nil, nil, nil, nil, nil)
            != SQLiteCode.error
    }

    /// Returns ``schemasInSearchOrder()`` without empty schemas. Most connections only have `main`.
    func possibleSchemas() throws(StorageError) -> [String] {
        if schemas.hasAttached { return try schemasInSearchOrder() }
        return schemas.hasTemporary ? ["temp", "main"] : ["main"]
    }

    func isTable(_ name: TableName) -> Bool {
        api.pointee.table_column_metadata(handle, name.schema, name.name, nil, nil, nil, nil, nil, nil)
            == SQLiteCode.ok
    }
}
