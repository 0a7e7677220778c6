import CVigilSQLite
import VigilStorage

/// Converts the library's hook calls to change events, and adds events for changes without a hook call.
final class ChangeReporter {
    // Safe: the connection owns the reporter, and `stop` clears it.
    unowned(unsafe) var connection: SQLiteConnection?
    weak var sink: (any ChangeSink)?
    let api: UnsafePointer<vigil_sqlite_api>
    @exclusivity(unchecked)  // bench: unrelated-writes
    private(set) var interest = ChangeInterest.nothing
    private let images: HookedRowImages

    @exclusivity(unchecked)  // bench: unrelated-writes
    private(set) var tables = TableMetadataCache()
    @exclusivity(unchecked)  // bench: unrelated-writes
    private(set) var runs = RunProgress()
    /// The number of rollbacks while the reporter's interest included transactions.
    private(set) var rollbackCount = 0
    /// Whether the last transaction may have written, for libraries without `sqlite3_txn_state()`.
    var hasWritten = false
    /// The source of row values for libraries without the pre-update hook.
    let triggers = RowImageTriggers()
    /// The changes waiting for values from the triggers.
    @exclusivity(unchecked)  // bench: unrelated-writes
    var queue: ChangeQueue

    init(api: UnsafePointer<vigil_sqlite_api>) {
        self.api = api
        images = HookedRowImages(api: api)
        queue = ChangeQueue(api: api)
    }

    var reportsRows: Bool { api.pointee.preupdate_hook != nil }

    // MARK: - Hooks

    func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        let interest = sink == nil ? .nothing : interest
        self.sink = sink
        guard interest != self.interest, let connection, let handle = connection.handle else { return }
        let before = self.interest
        self.interest = interest
        installTransactionHooks(on: handle)
        installRowHook(on: handle)
        connection.recorder.rowByRowDeletions =
            interest == .everyRow && !reportsRows ? .all : interest >= .changes ? .inner : .none
        // Setting the authorizer makes the library recompile all statements: those compiled before every row
        // was requested do not report every row, and those compiled while changes were not reported were not
        // widened.
        if interest > before, interest >= .changes {
            connection.installAuthorizer()
            // Schema changes were not tracked while changes were not reported.
            discardMetadata()
        }
    }

    func stop() {
        sink = nil
        interest = .nothing
        connection = nil
    }

    // MARK: - Transactions

    /// Handles a commit before it happens. Returns whether it may.
    func willCommit() -> Bool {
        if triggers.isAccessingTriggers { return true }
        reportQueuedChanges()
        tables.transactionDidEnd()
        return sink?.willCommit() != false
    }

    func didRollBack() {
        rollbackCount += 1
        connection?.ownStatements.forgetSchemaVersions()
        if triggers.isAccessingTriggers { return }
        reportQueuedChanges()
        tables.transactionDidEnd()
        discardMetadata()
        sink?.didRollback()
    }

    /// Handles the possible beginning of a transaction: the library does not report the end of one without
    /// writes.
    func transactionMayBegin() {
        if connection?.isInTransaction == false { tables.transactionDidEnd() }
    }

    /// Handles the end of a statement that has changed the schema.
    func didChangeSchema() { tables.schemaDidChange() }

    /// Handles a rollback to a savepoint, which undoes changes of the schema since.
    func didRollBackToSavepoint() {
        connection?.ownStatements.forgetSchemaVersions()
        if tables.hasChangedSchema { discardMetadata() }
    }

    // MARK: - Runs of statements

    func willRun(_ run: inout StatementRun) {
        if !run.isReadOnly { hasWritten = true }
        run.isReported = reportsRun(isReadOnly: run.isReadOnly)
        if run.isReported || run.beginsTransaction { transactionMayBegin() }
        if run.isReported, connection?.schemas.hasAttached == true { checkAttachedSchemas(run) }
        prepareTriggers(for: run)
        guard run.isReported else { return }
        if !tables.isSchemaChecked { checkSchema() }
        if run.metadataVersion != tables.version { lookUpMetadata(&run) }
        for table in run.libraryTables { sink?.didChange(.table(table)) }
        guard run.needsWork else { return }
        runs.didBegin(isVacuum: run.isVacuum)
        run.isCounted = true
        run.hadNestedRun = runs.hasNestedRun
        run.totalChangesBefore = connection?.totalChangesCount ?? 0
        for table in tablesReportedCoarsely(run) {
            reportTable(table)
            if !triggers.isIdle { runs.didReportCoarsely(table) }
        }
    }

    /// Returns whether the changes of a run are reported. Vigil's own statements change no data.
    private func reportsRun(isReadOnly: Bool) -> Bool {
        interest >= .changes && !isReadOnly && connection?.runsInternalStatement == false
    }

    /// Ends a run, unless it needed no work when it began.
    private func end(_ run: inout StatementRun) {
        if run.isCounted { runs.didEnd() }
        run.isCounted = false
    }

    func didRun(_ run: inout StatementRun) {
        guard run.isReported, run.needsWork else { return }
        end(&run)
        if run.rebuildsDatabase || run.effects.changesDatabases { sink?.didChange(.database) }
        if (connection?.totalChangesCount ?? 0) != run.totalChangesBefore {
            for table in run.effects.truncatedTables
            where run.hadNestedRun || !runs.deletedRows(of: table) {
                reportTable(table)
            }
        }
        for table in run.effects.analyzedTables { reportTable(table) }
        if run.changesSchema {
            discardMetadata()
            reportAlteredTables(run)
        }
    }

    /// Reports the tables altered by a schema change. A created or dropped table may shadow or reveal a table
    /// of the same name in another database. A read through a view is recorded as a read of its tables only.
    private func reportAlteredTables(_ run: StatementRun) {
        guard !run.redefinesNames, let schemas = try? connection?.schemasInSearchOrder(),
            !run.createsTable || !mayHideViews(run.alteredTables, schemas)
        else {
            sink?.didChange(.database)
            return
        }
        for table in run.alteredTables {
            sink?.didChange(.table(table))
            for schema in schemas where !schema.isSameName(as: table.schema) {
                sink?.didChange(.table(TableName(schema: schema, name: table.name)))
            }
        }
    }

    /// Returns whether tables may hide views of the same names in other databases.
    private func mayHideViews(_ tables: [TableName], _ schemas: [String]) -> Bool {
        tables.contains { table in
            schemas.contains { schema in
                guard let connection, !schema.isSameName(as: table.schema) else { return false }
                do throws(StorageError) {
                    return try connection.table(table.name, in: schema)?.kind == .view
                } catch {
                    return true
                }
            }
        }
    }

    /// Ends a failed run. It may have left rows (`OR FAIL`), but truncated no table and changed no schema.
    func didFail(_ run: inout StatementRun) {
        guard run.isReported, run.needsWork else { return }
        end(&run)
    }

    /// Handles the recompilation of a write during its run. If another connection changed the schema during
    /// the wait for the lock, the reports of rows may be wrong.
    func didRecompile(_ run: StatementRun) {
        // In a transaction, the schema is checked when it cannot change any more.
        guard run.isReported, let connection, !connection.isInTransaction else { return }
        let version = tables.version
        if !connection.isPrivate { compareSchemaVersion() }
        if run.writesAttached { tables.adoptAttachedSchemaVersions(connection.attachedSchemaVersions()) }
        guard tables.version != version else { return }
        reportTables(of: run.writes, by: run)
    }

    /// Reports tables with unknown changes of their rows, and the changed tables of the library.
    private func reportTables(of writes: [TableWrite], by run: StatementRun) {
        for write in writes {
            _ = lookUp(write.table)
            reportTable(write.table)
        }
        for table in libraryTables(changedBy: run) { sink?.didChange(.table(table)) }
    }

    /// Reports writes to tables not known before: a schema change recompiled the statement during its run.
    func reportLateWrites(_ writes: [TableWrite], of run: inout StatementRun) {
        if !run.isReadOnly { hasWritten = true }
        if reportsRun(isReadOnly: run.isReadOnly) { run.isReported = true }
        let virtualTables = tables.virtualTables
        discardMetadata()
        guard interest >= .changes else { return }
        // Full-text tables write their storage when the transaction commits.
        for table in virtualTables { _ = lookUp(table) }
        reportTables(of: writes, by: run)
        for table in run.effects.analyzedTables { reportTable(table) }
    }

    /// Reports that a table changed, together with the virtual table whose content it stores.
    private func reportTable(_ table: TableName) {
        sink?.didChange(.table(table))
        if let owner = tables[table]?.owner { sink?.didChange(.table(owner)) }
    }

    /// Adds the generated columns, which an update changes without naming them.
    func widen(_ access: inout StatementAccess) {
        guard interest >= .changes, connection?.library.hasGeneratedColumns == true else { return }
        for index in access.writes.indices {
            guard case .update(let columns) = access.writes[index].kind,
                let metadata = lookUp(access.writes[index].table), !metadata.generatedColumns.isEmpty
            else { continue }
            var together = columns
            for column in metadata.generatedColumns { together.insertWritten(column.string) }
            access.writes[index].kind = .update(columns: together)
        }
    }

    /// Discards the metadata. Called when the schema may have changed.
    func discardMetadata() { tables.discard() }

    func didChangeTriggers() { tables.triggersDidChange() }

    /// Compares the schema version once per transaction: another connection may have changed the schema.
    private func checkSchema() {
        // Without a transaction, the schema may change before the statement has its lock.
        if connection?.isInTransaction == true { tables.schemaWillBeChecked() }
        // A private database can only be changed by this connection.
        if connection?.isPrivate == true, tables.hasSchemaVersion { return }
        compareSchemaVersion()
    }

    func compareSchemaVersion() {
        tables.adoptSchemaVersion(try? connection?.schemaVersion(of: "main"))
    }

    /// Does the same for attached databases, before the first statement that writes to one: reading the
    /// version locks the file.
    private func checkAttachedSchemas(_ run: StatementRun) {
        guard !tables.areAttachedSchemasChecked, run.writesAttached else { return }
        tables.adoptAttachedSchemaVersions(connection?.attachedSchemaVersions() ?? [nil])
    }

    private func lookUpMetadata(_ run: inout StatementRun) {
        var needsWork = run.changesSchema || run.isVacuum || run.effects != UnreportedEffects()
        for write in run.writes {
            let metadata = lookUp(write.table)
            if metadata?.table.kind != .table || !reportsRows { needsWork = true }
        }
        run.libraryTables = libraryTables(changedBy: run)
        run.metadataVersion = tables.version
        run.needsWork = needsWork
    }

    /// Returns the library's own tables that a run may change. The hooks do not report their rows.
    private func libraryTables(changedBy run: StatementRun) -> [TableName] {
        var tables: [TableName] = []
        for write in run.writes {
            if write.table.isOfLibrary {
                tables.append(write.table)
            } else if write.kind == .insert, self.tables[write.table]?.hasAutoincrement == true {
                tables.append(TableName(schema: write.table.schema, name: "sqlite_sequence"))
            }
        }
        // The schema table stands for the header, as it does for the schema.
        if run.effects.changesHeader, let connection { tables += connection.schemaTables }
        for schema in Set(run.effects.analyzedTables.map(\.schema)) {
            for name in ["sqlite_stat1", "sqlite_stat3", "sqlite_stat4"] {
                tables.append(TableName(schema: schema, name: name))
            }
        }
        return Array(Set(tables))
    }

    private func lookUp(_ table: TableName) -> TableMetadata? {
        if let known = tables[table] { return known }
        guard let connection, let found = try? connection.metadata(of: table.name, in: table.schema)
        else { return nil }
        tables.store(found, of: table)
        if found.table.kind == .virtual {
            for shadow in (try? connection.shadowTables(of: table)) ?? [] { _ = lookUp(shadow) }
        }
        return found
    }

    /// Returns the tables that a run may change in ways that the hooks do not report.
    private func tablesReportedCoarsely(_ run: StatementRun) -> [TableName] {
        guard !reportsRows else {
            return run.writes.map(\.table).filter { tables[$0]?.table.kind == .virtual }
        }
        let replaces =
            run.mentionsReplace || run.writes.contains { tables[$0.table].map(\.mayReplace) ?? true }
        return run.writes.compactMap { write in
            guard let metadata = tables[write.table] else { return write.table }
            if replaces || !metadata.table.hasRowID { return write.table }
            guard changesRowID(write, metadata.table) else { return nil }
            // The triggers pass both row ids.
            guard !triggers.isIdle, triggers.plan(for: write.table, version: tables.version) != nil else {
                return write.table
            }
            runs.rowsMayMove(in: metadata.table.name)
            return nil
        }
    }

    private func changesRowID(_ write: TableWrite, _ table: StorageTable) -> Bool {
        guard case .update(let columns) = write.kind else { return false }
        return columns.contains { column in
            column.isSameName(as: "ROWID") || table.rowIDColumn?.isSameName(as: column) == true
        }
    }

    // MARK: - Row changes

    func didChangeRow(
        _ operation: Int32, schema: UnsafePointer<CChar>, table: UnsafePointer<CChar>, oldKey: Int64,
        newKey: Int64, database: OpaquePointer?
    ) {
        guard !runs.isVacuuming else { return }
        let target = currentTable(schema, table)
        guard let kind = RowChange.Kind(operation) else { return }
        if kind == .delete { runs.didDeleteRow(of: target.name) }
        guard let sink else { return }
        if target.isPlain {
            switch sink.rowInterest(in: target.name, kind) {
            case .nothing: return
            case .table: return sink.didChange(.table(target.name))
            case .row: break
            }
        }
        var rowImages: HookedRowImages?
        if let database, let columns = target.imageColumns,
            api.pointee.preupdate_count.map({ Int($0(database)) }) == columns.count
        {
            images.begin(database: database, target, kind)
            rowImages = images
        }
        defer { if rowImages != nil { images.end() } }
        let mayHaveMoved = runs.mayHaveMoved(kind, in: target.name)
        if database == nil, enqueue(target, kind, key: newKey, mayHaveMoved: mayHaveMoved) { return }
        report(
            kind, in: target, keys: target.rowKeys(kind, oldKey: oldKey, newKey: newKey, images: rowImages),
            images: rowImages)
        if mayHaveMoved { reportTable(target.name) }
    }

    func report(
        _ kind: RowChange.Kind, in target: CurrentTable, keys: (old: RowKey?, new: RowKey?),
        images: (any RowImages)? = nil
    ) {
        guard let sink else { return }
        sink.didChange(
            .row(
                RowChange(
                    table: target.name, kind: kind, oldKey: keys.old, newKey: keys.new, images: images)))
        if let owner = target.owner {
            sink.didChange(.table(owner))
        } else if target.metadata == nil {
            // The table was not expected. It may store the content of a virtual table.
            sink.didChange(.database)
        }
    }

    private func currentTable(
        _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>
    ) -> CurrentTable {
        if let current = tables.current, current.matches(schema, table) { return current }
        let name = TableName(schema: String(cString: schema), name: String(cString: table))
        let plan = triggers.isIdle ? nil : triggers.plan(for: name, version: tables.version)
        let found = CurrentTable(name, tables[name], plan: plan)
        tables.setCurrent(found)
        return found
    }
}

extension RowChange.Kind {
    init?(_ operation: Int32) {
        switch operation {
        case SQLiteOperation.insert: self = .insert
        case SQLiteOperation.update: self = .update
        case SQLiteOperation.delete: self = .delete
        default: return nil
        }
    }
}
