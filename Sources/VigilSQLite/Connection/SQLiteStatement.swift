import CVigilSQLite
import VigilStorage

/// A compiled statement of a library of the SQLite family.
final class SQLiteStatement: StorageStatement {
    private let connection: SQLiteConnection
    let api: UnsafePointer<vigil_sqlite_api>
    private let stepFunction: @convention(c) (OpaquePointer?) -> Int32
    /// The library's handle; `nil` once the statement is finalized.
    private var handle: OpaquePointer?
    let sql: String
    @exclusivity(unchecked)  // bench: unrelated-writes
    private(set) var access: StatementAccess
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var lateAccessCount = 0
    var accessRevision: Int { lateAccessCount &+ connection.libraryFunctions.revision }
    /// The ``VirtualTableReads/revision`` of the access.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var virtualTableRevision: Int
    private var knownVirtualTables: (basis: ConditionBasis, used: [TableName], virtual: [VirtualTable])?
    private var knownConditions: (revision: Int, basis: ConditionBasis?, report: RowConditionReport)?
    let parameterCount: Int
    @exclusivity(unchecked)  // bench: unrelated-writes
    private(set) var row: StorageRow {
        didSet { cells = UnsafeMutableBufferPointer(start: row.cells, count: row.count) }
    }
    /// The cells of ``row``. A separate reference, because ``row`` would be retained for each row.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var cells: UnsafeMutableBufferPointer<StorageCell>
    private(set) lazy var columnNames: [String] = (0..<row.count).map { columnName(at: $0) }
    private var effects: UnreportedEffects
    /// The properties of a run for the change reporter.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var run: StatementRun
    private var isRunning = false
    private var forcedRollbackCount = 0
    /// The ``SQLiteConnection/pageCount`` at the last reset.
    private var lastPageCount = 0
    private let precautions: RunPrecautions
    /// The parts of the schema reached by the statement, if the file is not trusted.
    private let reachedSchema: ReachedSchema?

    init(
        connection: SQLiteConnection, handle: OpaquePointer, sql: String, access: StatementAccess,
        effects: UnreportedEffects, precautions: RunPrecautions, reachedSchema: ReachedSchema?
    ) {
        self.connection = connection
        self.precautions = precautions
        self.reachedSchema = reachedSchema
        self.handle = handle
        self.sql = sql
        self.access = access
        self.effects = effects
        virtualTableRevision = connection.virtualTableReads.revision
        api = connection.api
        stepFunction = connection.api.pointee.step
        parameterCount = Int(connection.api.pointee.bind_parameter_count(handle))
        let row = StorageRow(count: Int(connection.api.pointee.column_count(handle)))
        self.row = row
        cells = UnsafeMutableBufferPointer(start: row.cells, count: row.count)
        run = StatementRun(sql: sql, access: access, effects: effects)
    }

    deinit { finalize() }

    func finalize() {
        guard let handle else { return }
        reset()
        self.handle = nil
        _ = api.pointee.finalize(handle)
    }

    private static let reusableCommands: Set<String> = [
        "select", "insert", "update", "delete", "replace", "with", "values",
    ]

    var isReusable: Bool {
        let word = sql.utf8.prefix { ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") }
        if !word.isEmpty { return Self.reusableCommands.contains(String(Substring(word)).foldedName) }
        // Comments or white space precede the statement.
        var scanner = SQLScanner(sql)
        return scanner.next()?.isWord(in: Self.reusableCommands) ?? false
    }

    private func columnName(at index: Int) -> String {
        guard let handle, let name = api.pointee.column_name(handle, Int32(index)) else { return "" }
        return String(cString: name)
    }

    func parameterName(at index: Int) -> String? {
        guard let handle else { return nil }
        return api.pointee.bind_parameter_name(handle, Int32(index)).map { String(cString: $0) }
    }

    var expandedSQL: String {
        guard let handle, let text = api.pointee.expanded_sql(handle) else { return sql }
        defer { api.pointee.free(text) }
        return String(cString: text)
    }

    func openHandle() throws(StorageError) -> OpaquePointer {
        guard let handle else { throw StorageError(.misuse, "the statement is finalized", sql: sql) }
        return handle
    }

    var rowConditions: RowConditionReport {
        if let knownConditions, knownConditions.revision == accessRevision { return knownConditions.report }
        let basis = connection.conditionBasis
        // If the schema cannot be read, there are no conditions.
        guard handle != nil,
            let report = try? ConditionRecognizer.report(on: self, connection)
        else {
            var report = RowConditionReport()
            report.returnsPartOfRows = SQLTokens(sql).contains("LIMIT")
            return report
        }
        knownConditions = (accessRevision, basis, report)
        return report
    }

    var orderingReads: [TableRead] {
        guard handle != nil else { return [] }
        return ConditionRecognizer.orderingReads(of: self, connection)
    }

    var listPlan: ListPlanReport {
        guard handle != nil else { return .refused("the statement is finalized") }
        return ListPlanner.report(on: self, connection)
    }

    var groupPlan: GroupPlanReport {
        guard handle != nil else { return .refused("the statement is finalized") }
        return GroupPlanner.report(on: self, connection)
    }

    var orderedSQL: String? {
        guard handle != nil else { return nil }
        return OrderedForm.sql(of: self, connection)
    }

    func resetWork() -> Int? {
        guard let handle, let status = api.pointee.stmt_status else { return nil }
        return Int(status(handle, SQLiteStatementStatus.steps, 1))
    }

    func resetPageCount() -> Int? {
        guard let count = connection.pageCount else { return nil }
        defer { lastPageCount = count }
        // The library's counters begin at 0 again after 2³¹.
        return max(0, count - lastPageCount)
    }

    // MARK: - Binding

    func bind(_ value: StorageValue, at index: Int) throws(StorageError) {
        let handle = try openHandle()
        let position = Int32(clamping: index)
        let code: Int32
        switch value {
        case .null: code = api.pointee.bind_null(handle, position)
        case .integer(let integer): code = api.pointee.bind_int64(handle, position, integer)
        case .real(let real): code = api.pointee.bind_double(handle, position, real)
        case .text(var text):
            code = text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    api.pointee.bind_text(
                        handle, position, $0.baseAddress, Int32(clamping: $0.count), copiesBoundMemory)
                }
            }
        case .blob(let bytes) where bytes.isEmpty:
            code = api.pointee.bind_zeroblob(handle, position, 0)
        case .blob(let bytes):
            code = bytes.withUnsafeBytes {
                api.pointee.bind_blob(
                    handle, position, $0.baseAddress, Int32(clamping: $0.count), copiesBoundMemory)
            }
        }
        guard code == SQLiteCode.ok else { throw bindingError(code) }
    }

    func bindingError(_ code: Int32) -> StorageError { connection.lastError(code, sql: sql) }

    func clearBindings() {
        _ = handle.map { api.pointee.clear_bindings($0) }
    }

    // MARK: - Running

    func step() throws(StorageError) -> Bool {
        guard let handle else { throw StorageError(.misuse, "the statement is finalized", sql: sql) }
        // The next row of a query, which reports nothing, is read without references to other objects.
        guard isRunning, precautions.isEmpty, forcedRollbackCount == connection.forcedRollbacks.count else {
            let isFirst = !isRunning
            return try endStep(handle, result: beginStep(handle, isFirst), isFirst: isFirst)
        }
        let code = stepFunction(handle)
        if code == SQLiteCode.row, !connection.hasUnreportedEvents, readRow(handle) { return true }
        return try endStep(handle, result: code, isFirst: false)
    }

    /// Runs the statement to its first row, or to the next one with precautions. Returns the result.
    private func beginStep(_ handle: OpaquePointer, _ isFirst: Bool) throws(StorageError) -> Int32 {
        if isFirst {
            isRunning = true
            forcedRollbackCount = connection.forcedRollbacks.count
            if virtualTableRevision != connection.virtualTableReads.revision { adoptVirtualTableReads() }
            connection.reporter.willRun(&run)
        } else if forcedRollbackCount != connection.forcedRollbacks.count {
            reset()
            throw StorageError(.abort, "the statement was ended by a rollback", sql: sql)
        }
        return try stepWithPrecautions(handle, isFirst)
    }

    private func stepWithPrecautions(
        _ handle: OpaquePointer, _ isFirst: Bool
    ) throws(StorageError) -> Int32 {
        if precautions.isEmpty { return stepFunction(handle) }
        do throws(StorageError) {
            return try connection.step(handle, with: precautions, reaching: reachedSchema, isFirst: isFirst)
        } catch {
            isRunning = false
            connection.reporter.didFail(&run)
            throw error
        }
    }

    /// Reports the events of a step, and reads its row. Returns `false` after the last one.
    private func endStep(
        _ handle: OpaquePointer, result: Int32, isFirst: Bool
    ) throws(StorageError) -> Bool {
        guard result == SQLiteCode.row || result == SQLiteCode.done else {
            return try endFailedStep(handle, result: result, isFirst: isFirst)
        }
        let reporter = connection.reporter
        reporter.reportQueuedChanges()
        if !connection.recorder.isEmpty { addLateAccess() }
        if result == SQLiteCode.row {
            if readRow(handle) { return true }
            throw didFail(StorageError(.outOfMemory, "out of memory", sql: sql))
        }
        isRunning = false
        _ = api.pointee.reset(handle)
        reporter.didRun(&run)
        // The library calls no hook for it.
        if case .rollbackTo = access.transactionEffect { reporter.didRollBackToSavepoint() }
        if access.changesSchema {
            reporter.didChangeSchema()
            connection.virtualTableReads.forget(access.alteredTables)
        }
        if effects.changesDatabases || run.isVacuum { connection.databasesMayHaveChanged() }
        return false
    }

    private func endFailedStep(
        _ handle: OpaquePointer, result: Int32, isFirst: Bool
    ) throws(StorageError) -> Bool {
        // Other calls of the library replace its error.
        let error = connection.lastError(result, sql: sql)
        if isFirst, connection.dropStaleTriggers(after: result) {
            _ = api.pointee.reset(handle)
            return try endStep(handle, result: stepWithPrecautions(handle, false), isFirst: false)
        }
        connection.reporter.reportQueuedChanges()
        if !connection.recorder.isEmpty { addLateAccess() }
        throw didFail(error)
    }

    /// Ends a failed run, and returns its error.
    private func didFail(_ error: StorageError) -> StorageError {
        isRunning = false
        if let handle { _ = api.pointee.reset(handle) }
        connection.reporter.didFail(&run)
        connection.rollBackAfterFunctions()
        if effects.changesDatabases || run.isVacuum { connection.databasesMayHaveChanged() }
        return error
    }

    func reset() {
        guard isRunning, let handle else { return }
        isRunning = false
        // Completing a write can fail.
        if api.pointee.reset(handle) == SQLiteCode.ok {
            connection.reporter.didRun(&run)
        } else {
            connection.reporter.didFail(&run)
        }
        connection.rollBackAfterFunctions()
    }

    /// Adds accesses recorded during the run. They widen the access if the statement was recompiled after a
    /// schema change, or if a virtual table compiled statements of its own. If the library recompiled it to
    /// choose a query plan by the bound values, as for `LIKE ?`, nothing changes.
    private func addLateAccess() {
        var (late, lateEffects) = connection.finishRecording(of: sql)
        // The internal changes of VACUUM are not reported.
        guard !run.isVacuum else { return }
        connection.reporter.widen(&late)
        let lateWrites = late.writes.filter { !access.covers($0) }
        let known = access
        access.formUnion(late)
        // In other statements, a function or a module changes a schema.
        if late.changesSchema, !known.changesSchema, !isReusable { access.adoptSchemaChange(of: late) }
        connection.virtualTableReads.add(late.reads, of: virtualTables)
        adoptVirtualTableReads()
        if access != known || !conditionsStillHold { lateAccessCount += 1 }
        lateEffects.formUnion(effects)
        connection.reporter.didRecompile(run)
        if !lateWrites.isEmpty || lateEffects != effects || access.changesSchema != known.changesSchema {
            effects = lateEffects
            run = StatementRun(sql: sql, access: access, effects: effects, continuing: run)
            connection.reporter.reportLateWrites(lateWrites, of: &run)
        }
        guard let handle else { return }
        // Columns may have been added, removed or renamed. A separate row marks the previous one as outdated.
        let names = (0..<Int(api.pointee.column_count(handle))).map { columnName(at: $0) }
        guard names.count != row.count || !names.isIdentical(to: columnNames) else { return }
        row = StorageRow(count: names.count)
        columnNames = names
    }

    private func adoptVirtualTableReads() {
        virtualTableRevision = connection.virtualTableReads.revision
        let known = access
        connection.virtualTableReads.widen(&access)
        if access != known { lateAccessCount += 1 }
    }

    private var virtualTables: [VirtualTable] {
        let (basis, used) = (connection.conditionBasis, access.tables)
        if let known = knownVirtualTables, known.basis == basis, known.used == used { return known.virtual }
        let tables = connection.virtualTables(among: used)
        knownVirtualTables = basis.map { ($0, used, tables) }
        return tables
    }

    private var conditionsStillHold: Bool {
        guard let basis = knownConditions?.basis else { return false }
        return basis == connection.conditionBasis
    }

    /// Takes the library's value of each column once, instead of calling one function for the type and
    /// others for the value, each with another search for the column. Such a value may only be used by one
    /// thread at a time, as guaranteed by an access, and without the library's own lock, because connections
    /// are opened without one.
    ///
    /// - Returns: `false` if there is not enough memory to convert a text.
    private func readRow(_ handle: OpaquePointer) -> Bool {
        let (api, cells) = (api, cells)
        var isLost = false
        for index in 0..<cells.count {
            let value = api.pointee.column_value(handle, Int32(truncatingIfNeeded: index))
            cells[index] = api.cell(value, isLost: &isLost)
        }
        return !isLost
    }
}

extension StatementAccess {
    /// Returns whether a write is among the known ones.
    func covers(_ write: TableWrite) -> Bool {
        writes.contains { known in
            guard known.table == write.table else { return false }
            guard case .update(let columns) = known.kind, case .update(let late) = write.kind else {
                return known.kind == write.kind
            }
            return late.allSatisfy { name in columns.contains { $0.isIdentical(to: name) } }
        }
    }

    /// Adds the change of the schema by a recompiled statement: with IF EXISTS or IF NOT EXISTS, the schema
    /// decides whether the statement has any effect.
    mutating func adoptSchemaChange(of late: StatementAccess) {
        changesSchema = true
        alteredTables = late.alteredTables
        isReadOnly = false
    }

    /// Replaces the effects of an explained statement by reads: its plan depends on the tables.
    mutating func removeEffects() {
        formUnion(reads: writes.map { TableRead($0.table, columns: []) })
        writes = []
        transactionEffect = nil
        changesSchema = false
        alteredTables = []
    }

    /// Adds the reads and writes of another statement. Transaction and schema effects do not change.
    mutating func formUnion(_ other: StatementAccess) {
        formUnion(reads: other.reads)
        writes += other.writes.filter { !writes.contains($0) }
    }

    mutating func formUnion(reads others: [TableRead]) {
        for read in others {
            guard let index = reads.firstIndex(where: { $0.table == read.table }) else {
                reads.append(read)
                continue
            }
            guard let columns = reads[index].columns, let more = read.columns else {
                reads[index].columns = nil
                continue
            }
            var together = columns
            let isExact = more.allSatisfy { together.insertExactly($0) }
            reads[index].columns = isExact ? together : nil
        }
    }
}
