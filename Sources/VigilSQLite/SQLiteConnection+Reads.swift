import CVigilSQLite
import VigilStorage

extension SQLiteConnection {
    /// What the recorder gathered.
    func finishRecording() -> StatementAccess {
        var (access, withoutColumn) = recorder.finish()
        guard !withoutColumn.isEmpty, !isAskingForItself else { return access }
        let known = access.reads.count
        for read in withoutColumn {
            for table in tables(meantBy: read) {
                guard let index = access.reads.firstIndex(where: { $0.table == table }) else {
                    access.reads.append(TableRead(table, columns: []))
                    continue
                }
                narrow(&access.reads[index])
            }
        }
        if access.reads.count > known {
            access.reads.sort { ($0.table.schema, $0.table.name) < ($1.table.schema, $1.table.name) }
        }
        return access
    }

    /// Where the schema is not told, the table may be that of any schema.
    private func tables(meantBy read: AccessRecorder.ReadWithoutColumn) -> [TableName] {
        if let schema = read.schema { return [TableName(schema: schema, name: read.table)] }
        guard hasTemporary || hasAttached else { return [TableName(name: read.table)] }
        let tables = ((try? possibleSchemas()) ?? ["temp", "main"])
            .map { TableName(schema: $0, name: read.table) }.filter { isTable($0) }
        return tables.isEmpty ? [TableName(name: read.table)] : tables
    }

    /// The library tells the row id as a column too. Somebody who reads no other depends on which rows there are.
    private func narrow(_ read: inout TableRead) {
        guard let columns = read.columns, !columns.isEmpty else { return }
        let source = FromClause.Source(schema: read.table.schema, name: read.table.name)
        guard let facts = try? table(meantBy: source) else {
            read.columns = nil
            return
        }
        let isRowID = columns.allSatisfy { column in
            facts.table.hasRowID
                && (facts.table.rowIDColumn?.isSameName(as: column) ?? (column == "ROWID"))
        }
        if isRowID { read.columns = [] }
    }

    /// As ``schemasInSearchOrder()``, without those in which there is nothing. Most connections have only `main`.
    func possibleSchemas() throws(StorageError) -> [String] {
        if hasAttached { return try schemasInSearchOrder() }
        return hasTemporary ? ["temp", "main"] : ["main"]
    }

    /// Takes notice of an action that the authorizer is asked about.
    func noteSchemas(_ action: Int32) {
        switch SQLiteAction(rawValue: action) {
        case .attach: hasAttached = true
        case .createTempTable, .createTempView, .createVirtualTable: hasTemporary = true
        default: break
        }
    }

    private func isTable(_ name: TableName) -> Bool {
        api.pointee.table_column_metadata(handle, name.schema, name.name, nil, nil, nil, nil, nil, nil)
            == SQLiteCode.ok
    }
}
