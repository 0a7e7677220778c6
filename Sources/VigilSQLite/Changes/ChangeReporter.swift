import CVigilSQLite
import VigilStorage

/// Converts the library's hook calls to change events, and adds events for changes that the hooks do not
/// report.
final class ChangeReporter {
    // Safe: the connection owns the reporter, and `stop` clears it.
    unowned(unsafe) var connection: SQLiteConnection?
    weak var sink: (any ChangeSink)?
    let api: UnsafePointer<vigil_sqlite_api>
    @exclusivity(unchecked)  // bench: unrelated-writes
    private(set) var interest = ChangeInterest.nothing
    private let images: HookedRowImages

    /// Metadata of tables, valid until the schema changes. Missing tables were not looked up yet.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var metadata: [TableName: TableMetadata] = [:]
    @exclusivity(unchecked)  // bench: unrelated-writes
    private(set) var metadataVersion = 1
    /// The schema version at the time of the ``metadata``.
    private var schemaVersion: Int64?
    /// Whether the current transaction has compared the schema version.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var isSchemaChecked = false
    /// The table of the last row change. The next change is usually in the same table.
    @exclusivity(unchecked)  // bench: unrelated-writes
    var current: CurrentTable?
    @exclusivity(unchecked)  // bench: unrelated-writes
    private(set) var runDepth = 0
    /// The number of rollbacks while the reporter's interest included transactions.
    private(set) var rollbackCount = 0
    /// Whether a statement runs, or has run, during the current one.
    private(set) var hasNestedRun = false
    /// The tables that the current runs reported as changed as a whole. Only used where changes can wait for
    /// their values.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private(set) var reportedCoarsely: Set<TableName> = []
    /// The tables whose row ids may change in the current runs, and that were not reported as a whole: a
    /// change that arrives without values requires a report of the whole table.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var moving: Set<TableName> = []
    /// The triggers that supply row values where no hook does.
    let triggers = RowImageTriggers()
    /// The changes that wait for values from the triggers.
    @exclusivity(unchecked)  // bench: unrelated-writes
    var held = HeldChanges()
    let borrowedImages: TriggeredRowImages
    /// The values of a change of which a part has arrived.
    var gathered: TriggeredRowImages?
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var deletedByRow: Set<TableName> = []
    private var isVacuuming = false

    init(api: UnsafePointer<vigil_sqlite_api>) {
        self.api = api
        images = HookedRowImages(api: api)
        borrowedImages = TriggeredRowImages(api: api)
    }

    private var reportsRows: Bool { api.pointee.preupdate_hook != nil }

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

    private func installTransactionHooks(on handle: OpaquePointer) {
        guard interest >= .transactions else {
            _ = api.pointee.commit_hook(handle, nil, nil)
            _ = api.pointee.rollback_hook(handle, nil, nil)
            return
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = api.pointee.commit_hook(
            handle,
            { context in
                guard let context else { return 0 }
                let reporter = Unmanaged<ChangeReporter>.fromOpaque(context).takeUnretainedValue()
                if reporter.triggers.isAccessingTriggers { return 0 }
                reporter.reportHeldChanges()
                reporter.isSchemaChecked = false
                return reporter.sink?.willCommit() == false ? 1 : 0
            }, context)
        _ = api.pointee.rollback_hook(
            handle,
            { context in
                guard let context else { return }
                let reporter = Unmanaged<ChangeReporter>.fromOpaque(context).takeUnretainedValue()
                reporter.rollbackCount += 1
                if reporter.triggers.isAccessingTriggers { return }
                reporter.reportHeldChanges()
                reporter.isSchemaChecked = false
                reporter.discardMetadata()
                reporter.sink?.didRollback()
            }, context)
    }

    private func installRowHook(on handle: OpaquePointer) {
        let context = interest >= .changes ? Unmanaged.passUnretained(self).toOpaque() : nil
        if let preupdateHook = api.pointee.preupdate_hook {
            _ = preupdateHook(handle, context == nil ? nil : didHookPreupdate, context)
        } else {
            _ = api.pointee.update_hook(handle, context == nil ? nil : didHookUpdate, context)
        }
    }

    /// Removes the pre-update hook, because it makes the library compile deletions of whole tables to run
    /// row by row.
    func suspendRowHook() {
        guard interest == .changes, let handle = connection?.handle else { return }
        _ = api.pointee.preupdate_hook?(handle, nil, nil)
    }

    /// Installs the hook again after ``suspendRowHook()``.
    func resumeRowHook() {
        guard interest == .changes, reportsRows, let handle = connection?.handle else { return }
        installRowHook(on: handle)
    }

    // MARK: - Runs of statements

    func willRun(_ run: inout StatementRun) {
        prepareTriggers(for: run)
        run.isReported = interest >= .changes && !run.isReadOnly
        guard run.isReported else { return }
        if !isSchemaChecked { checkSchema() }
        if run.metadataVersion != metadataVersion { lookUpMetadata(&run) }
        for table in run.libraryTables { sink?.didChange(.table(table)) }
        guard run.needsWork else { return }
        if runDepth == 0 {
            deletedByRow.removeAll(keepingCapacity: true)
            if !reportedCoarsely.isEmpty { reportedCoarsely.removeAll() }
            if !moving.isEmpty { moving.removeAll() }
        }
        runDepth += 1
        hasNestedRun = runDepth > 1
        run.hadNestedRun = runDepth > 1
        run.totalChangesBefore = connection?.totalChangesCount ?? 0
        isVacuuming = run.isVacuum
        for table in tablesReportedCoarsely(run) {
            reportTable(table)
            if !triggers.isIdle { reportedCoarsely.insert(table) }
        }
    }

    func didRun(_ run: inout StatementRun) {
        guard run.isReported, run.needsWork else { return }
        endRun()
        if run.rebuildsDatabase || run.effects.changesDatabases { sink?.didChange(.database) }
        if (connection?.totalChangesCount ?? 0) != run.totalChangesBefore {
            for table in run.effects.truncatedTables
            where run.hadNestedRun || !deletedByRow.contains(table) {
                reportTable(table)
            }
        }
        for table in run.effects.analyzedTables { reportTable(table) }
        if run.changesSchema {
            discardMetadata()
            reportAlteredTables(run)
        }
    }

    /// Reports the tables that a schema change altered. A created or dropped table may shadow or reveal a
    /// table of the same name in another database. A read through a view is recorded as a read of its tables
    /// only.
    private func reportAlteredTables(_ run: StatementRun) {
        guard !run.redefinesNames, let schemas = try? connection?.schemasInSearchOrder() else {
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

    /// Ends a failed run. The statement may have left rows behind (`OR FAIL`), but neither truncated a table
    /// nor changed the schema.
    func didFail(_ run: inout StatementRun) {
        guard run.isReported, run.needsWork else { return }
        endRun()
    }

    private func endRun() {
        runDepth -= 1
        isVacuuming = false
    }

    /// Reports the writes of a statement that was recompiled during its run, and now writes tables that were
    /// not known before: the schema has changed.
    func noteLateWrites(_ writes: [TableWrite], _ effects: UnreportedEffects) {
        let virtualTables = metadata.values.filter { $0.table.kind == .virtual }.map(\.table.name)
        discardMetadata()
        guard interest >= .changes else { return }
        // Full-text tables write their storage when the transaction commits.
        for table in virtualTables { _ = lookUp(table) }
        for write in writes {
            _ = lookUp(write.table)
            reportTable(write.table)
        }
        for table in effects.analyzedTables { reportTable(table) }
    }

    /// Reports that a table changed, together with the virtual table that stores its content there.
    private func reportTable(_ table: TableName) {
        sink?.didChange(.table(table))
        if let owner = metadata[table]?.owner { sink?.didChange(.table(owner)) }
    }

    /// Adds the columns that an update changes without naming them.
    func widen(_ access: inout StatementAccess) {
        guard interest >= .changes, connection?.library.hasGeneratedColumns == true else { return }
        for index in access.writes.indices {
            guard case .update(let columns) = access.writes[index].kind,
                let metadata = lookUp(access.writes[index].table), !metadata.generatedColumns.isEmpty
            else { continue }
            var together = columns
            for column in metadata.generatedColumns { together.insertWritten(column) }
            access.writes[index].kind = .update(columns: together)
        }
    }

    /// Discards the metadata. Called when the schema may have changed.
    func discardMetadata() {
        metadata.removeAll(keepingCapacity: true)
        current = nil
        metadataVersion += 1
    }

    /// Compares the schema version, once per transaction: another connection may have changed the schema
    /// before.
    private func checkSchema() {
        isSchemaChecked = true
        // A private database can only be changed by this connection.
        if connection?.isPrivate == true, schemaVersion != nil { return }
        compareSchemaVersion()
    }

    func compareSchemaVersion() {
        let version = try? connection?.schemaVersion(of: "main")
        guard version == nil || version != schemaVersion else { return }
        schemaVersion = version
        discardMetadata()
    }

    private func lookUpMetadata(_ run: inout StatementRun) {
        var needsWork = run.changesSchema || run.isVacuum || run.effects != UnreportedEffects()
        for write in run.writes {
            let metadata = lookUp(write.table)
            if metadata?.table.kind != .table || !reportsRows { needsWork = true }
        }
        run.libraryTables = libraryTables(changedBy: run)
        run.metadataVersion = metadataVersion
        run.needsWork = needsWork
    }

    /// Returns the library's own tables that a run may change. The hooks do not report their rows.
    private func libraryTables(changedBy run: StatementRun) -> [TableName] {
        var tables: [TableName] = []
        for write in run.writes {
            if write.table.isOfLibrary {
                tables.append(write.table)
            } else if write.kind == .insert, metadata[write.table]?.hasAutoincrement == true {
                tables.append(TableName(schema: write.table.schema, name: "sqlite_sequence"))
            }
        }
        for schema in Set(run.effects.analyzedTables.map(\.schema)) {
            for name in ["sqlite_stat1", "sqlite_stat3", "sqlite_stat4"] {
                tables.append(TableName(schema: schema, name: name))
            }
        }
        return Array(Set(tables))
    }

    private func lookUp(_ table: TableName) -> TableMetadata? {
        if let known = metadata[table] { return known }
        guard let connection, let found = try? connection.metadata(of: table.name, in: table.schema)
        else { return nil }
        metadata[table] = found
        current = nil
        if found.table.kind == .virtual {
            for shadow in (try? connection.shadowTables(of: table)) ?? [] { _ = lookUp(shadow) }
        }
        return found
    }

    /// Returns the tables that a run may change in ways that the hooks do not report.
    private func tablesReportedCoarsely(_ run: StatementRun) -> [TableName] {
        guard !reportsRows else {
            return run.writes.map(\.table).filter { metadata[$0]?.table.kind == .virtual }
        }
        let replaces =
            run.mentionsReplace || run.writes.contains { metadata[$0.table].map(\.mayReplace) ?? true }
        return run.writes.compactMap { write in
            guard let metadata = metadata[write.table] else { return write.table }
            if replaces || !metadata.table.hasRowID { return write.table }
            guard changesRowID(write, metadata.table) else { return nil }
            // Triggers that supply values pass both row ids.
            guard !triggers.isIdle, triggers.plan(for: write.table, version: metadataVersion) != nil else {
                return write.table
            }
            moving.insert(metadata.table.name)
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

    fileprivate func didChangeRow(
        _ operation: Int32, _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>, oldKey: Int64,
        newKey: Int64, database: OpaquePointer?
    ) {
        guard !isVacuuming else { return }
        let target = currentTable(schema, table)
        guard let kind = RowChange.Kind(operation) else { return }
        if kind == .delete, runDepth > 0 { deletedByRow.insert(target.name) }
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
        let mayHaveMoved = kind == .update && !moving.isEmpty && moving.contains(target.name)
        if database == nil, hold(target, kind, key: newKey, mayHaveMoved: mayHaveMoved) { return }
        report(
            target, kind, target.rowKeys(kind, oldKey: oldKey, newKey: newKey, images: rowImages), rowImages)
        if mayHaveMoved { reportTable(target.name) }
    }

    func report(
        _ target: CurrentTable, _ kind: RowChange.Kind, _ keys: (old: RowKey?, new: RowKey?),
        _ rowImages: (any RowImages)? = nil
    ) {
        guard let sink else { return }
        sink.didChange(
            .row(
                RowChange(
                    table: target.name, kind: kind, oldKey: keys.old, newKey: keys.new, images: rowImages)))
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
        if let current, current.matches(schema, table) { return current }
        let name = TableName(schema: String(cString: schema), name: String(cString: table))
        let plan = triggers.isIdle ? nil : triggers.plan(for: name, version: metadataVersion)
        let found = CurrentTable(name, metadata[name], plan: plan)
        current = found
        return found
    }
}

extension RowChange.Kind {
    fileprivate init?(_ operation: Int32) {
        switch operation {
        case SQLiteOperation.insert: self = .insert
        case SQLiteOperation.update: self = .update
        case SQLiteOperation.delete: self = .delete
        default: return nil
        }
    }
}

private func didHookPreupdate(
    _ context: UnsafeMutableRawPointer?, _ database: OpaquePointer?, _ operation: Int32,
    _ schema: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>?, _ oldKey: Int64, _ newKey: Int64
) {
    guard let context, let schema, let table else { return }
    Unmanaged<ChangeReporter>.fromOpaque(context).takeUnretainedValue()
        .didChangeRow(operation, schema, table, oldKey: oldKey, newKey: newKey, database: database)
}

/// Handles a call of the update hook, which passes a single key. If the statement changes row ids, the whole
/// table was reported before it ran, unless triggers supply both row ids.
private func didHookUpdate(
    _ context: UnsafeMutableRawPointer?, _ operation: Int32, _ schema: UnsafePointer<CChar>?,
    _ table: UnsafePointer<CChar>?, _ key: Int64
) {
    guard let context, let schema, let table else { return }
    Unmanaged<ChangeReporter>.fromOpaque(context).takeUnretainedValue()
        .didChangeRow(operation, schema, table, oldKey: key, newKey: key, database: nil)
}
