public import VigilRegions
package import VigilStorage

/// A compiled statement.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "UPDATE player SET score = ? WHERE id = ?")
/// try statement.execute(arguments: [50, 2])
/// try statement.execute(arguments: [60, 3])
/// ```
///
/// A statement belongs to the connection that compiled it, and can be used only inside an access of that
/// connection. While it is alive, the connection cannot be closed.
public final class Statement {
    let database: Database
    let storage: any StorageStatement
    /// Whether the statement can run again later, instead of compiling its text again.
    let isReusable: Bool
    package let parameterCount: Int
    private(set) lazy var parameterNames = (0..<parameterCount).map {
        StatementArguments.name(ofParameter: storage.parameterName(at: $0 + 1))
    }
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var known: ObservedStatement
    private var knownRevision: Int
    @exclusivity(unchecked)  // bench: unrelated-writes
    var bound: BoundArguments
    /// Whether the connection keeps the statement for later runs of its text. It then releases large
    /// arguments.
    var isKept = false
    /// The number of values in the last array of all rows. The next one begins with space for as many.
    @usableFromInline var lastRowCount = 0
    /// The only rows of a table that can affect the result with the current arguments, if they are known.
    @exclusivity(unchecked)  // bench: unrelated-writes
    package var knownRows: (table: TableName, rowIDs: Set<Int64>)?
    /// Returns the region of all rows to be fetched by keys in the result; `nil` without such a fetch. It is
    /// valid with the current arguments.
    package var prefetchedRegion: ((Database) throws -> DatabaseRegion)?
    @exclusivity(unchecked)  // bench: unrelated-writes
    var run = StatementRun()
    /// The last run with a recorded region: its number, the number of the recording, and the source of the
    /// region.
    var recorded: (run: Int, recording: Int, observed: ObservedStatement)?
    /// The last region that was computed from conditions, and its values. Observations fetch with the same
    /// values again and again (bench: one-observation).
    private var lastRegion:
        (
            observed: ObservedStatement, whole: DatabaseRegion, values: [DatabaseValue],
            region: DatabaseRegion
        )?
    /// The last region that was bounded by a row, and what it was made of.
    var lastBounded: (region: DatabaseRegion, conditions: [[RowCondition]], bounded: DatabaseRegion)?
    /// The layout of the rows, and the columns requested from them.
    private var knownLayout: (row: StorageRow, layout: RowLayout, lookups: ColumnLookups?)?
    /// The statements that fetch changed rows of this one, for lists.
    private var knownListQuery: ListQuery?
    /// The statements that keep the result of this one up to date.
    var knownLiveQuery: LiveQuery?

    init(database: Database, storage: any StorageStatement) {
        self.database = database
        self.storage = storage
        known = ObservedStatement(
            storage.access, announcing: storage.access.writes.map { DatabaseEventKind($0) })
        knownRevision = storage.accessRevision
        isReusable = storage.isReusable
        parameterCount = storage.parameterCount
        bound = BoundArguments(isComplete: parameterCount == 0)
    }

    deinit {
        if !database.isHeldByCaller { database.statementFinalizer.finalize(storage, of: database) }
    }

    /// The SQL of this statement, without surrounding white space and the final semicolon, and without the
    /// keys of encrypted databases.
    public private(set) lazy var sql = storage.sql.withoutKeys.trimmedStatement

    /// The names of the result columns.
    public var columnNames: [String] {
        database.checkConfinement()
        return storage.columnNames
    }

    /// The number of result columns.
    public var columnCount: Int { storage.row.count }

    /// Returns the index of the leftmost column with a name, ignoring the case of ASCII letters, or `nil`.
    public func index(ofColumn name: String) -> Int? { layout.index(of: name) }

    /// The layout of the result columns. A change of the schema may replace it.
    var layout: RowLayout {
        let row = storage.row
        if let knownLayout, knownLayout.row === row { return knownLayout.layout }
        let layout = RowLayout(names: columnNames, sql: sql, showsValues: publicStatementArguments)
        knownLayout = (row, layout, nil)
        return layout
    }

    /// Returns the columns requested from rows with a layout of this statement.
    func columnLookups(_ layout: RowLayout) -> ColumnLookups {
        guard layout === knownLayout?.layout else { return ColumnLookups(layout, of: database) }
        if let known = knownLayout?.lookups { return known }
        let lookups = ColumnLookups(layout, of: database)
        knownLayout?.lookups = lookups
        return lookups
    }

    /// Returns the layout of the result columns as an adapter presents them.
    func layout(_ adapter: (any RowAdapter)?) throws -> RowLayout {
        try adapter?._layout(from: layout) ?? layout
    }

    /// A Boolean value that indicates whether the statement does not modify the database file.
    public var isReadonly: Bool { storage.access.isReadOnly }

    package var access: StatementAccess { storage.access }

    /// The attached databases whose tables the statement reads or writes.
    private(set) lazy var attachedSchemas: Set<DatabaseSchemaID> = database.attachedSchemas(of: access)

    /// The accesses of the statement, for observations. Computed again only if the library reports new ones.
    var observed: ObservedStatement {
        if storage.accessRevision != knownRevision {
            knownRevision = storage.accessRevision
            known = ObservedStatement(
                storage.access, announcing: storage.access.announcedKinds(after: known.eventKinds))
        }
        return known
    }

    /// A Boolean value that indicates whether the statement may change tables, views, indexes or triggers.
    public var invalidatesDatabaseSchemaCache: Bool { observed.access.changesSchema }

    /// The region read by the statement, as reported by the library. It contains all columns if only the
    /// existence of rows matters, as for `COUNT(*)`.
    ///
    /// The region of a prepared request's statement is restricted to the row ids in the request, and includes
    /// prefetched associations.
    public var databaseRegion: DatabaseRegion { reportedRegion.described }

    /// The ``databaseRegion``, without columns if only the existence of rows matters.
    var reportedRegion: DatabaseRegion {
        storage.determineReads()
        let region = restrictedToKnownRows(DatabaseRegion(reading: storage.access))
        guard let prefetchedRegion, !region.isEmpty else { return region }
        guard let prefetched = try? prefetchedRegion(database) else { return .fullDatabase }
        return region.union(prefetched)
    }

    /// Returns the region of a request with this statement: the ``boundRegion``, and the
    /// ``prefetchedRegion``.
    package func requestRegion() throws -> DatabaseRegion {
        let region = boundRegion
        guard let prefetchedRegion, !region.isEmpty else { return region }
        return try region.union(prefetchedRegion(database))
    }

    /// The region read by the statement with the current arguments, restricted to the rows that meet its
    /// conditions. It is not restricted if ``Configuration/ignoresNoOpUpdates`` is `false`.
    package var boundRegion: DatabaseRegion { boundRegion(endsEarly: false) }

    /// Returns the ``boundRegion`` of a run.
    ///
    /// - Parameter endsEarly: whether the run ends before its last row. It then depends on the order.
    func boundRegion(endsEarly: Bool) -> DatabaseRegion {
        storage.determineReads()
        return restrictedToKnownRows(conditionalRegion(endsEarly: endsEarly))
    }

    private func restrictedToKnownRows(_ region: DatabaseRegion) -> DatabaseRegion {
        guard let knownRows else { return region }
        return region.restricted(toRowIDs: knownRows.rowIDs, of: knownRows.table)
    }

    /// Returns the region of a run without conditions.
    func unconditionalRegion(endsEarly: Bool) -> DatabaseRegion {
        let observed = observed
        guard database.configuration.ignoresNoOpUpdates,
            endsEarly || observed.conditions(of: storage).report.returnsPartOfRows
        else { return observed.region(database) }
        return observed.regionOfFirstRows(of: storage, database)
    }

    private func conditionalRegion(endsEarly: Bool) -> DatabaseRegion {
        let observed = observed
        let whole = unconditionalRegion(endsEarly: endsEarly)
        // Even if they do not apply: until then, any later compilation of the statement counts as a change.
        let conditions = observed.conditions(of: storage)
        guard database.configuration.ignoresNoOpUpdates, !conditions.report.tables.isEmpty else {
            return whole
        }
        if let lastRegion, lastRegion.observed === observed, lastRegion.whole.isSameInstance(as: whole),
            bound.isIdentical(to: lastRegion.values)
        {
            return lastRegion.region
        }
        let region = whole.narrowed(
            to: conditions.report.bound { storage.comparedValues(of: boundValue(at: $0), at: $0) })
        lastRegion = bound.isLarge ? nil : (observed, whole, bound.values, region)
        return region
    }

    /// Whether the statement reads no rows but the ``knownRows``: it joins no other tables.
    var readsOnlyKnownRows: Bool { knownRows != nil && observed.access.reads.count < 2 }

    /// Returns the value of a parameter. The index of the first one is 1.
    func boundValue(at index: Int) -> StorageValue {
        bound.values.indices.contains(index - 1) ? bound.values[index - 1].storageValue : .null
    }

    /// Returns the statements that fetch changed rows of this one.
    func listQuery() throws -> ListQuery {
        if let known = knownListQuery, known.revision == storage.accessRevision { return known }
        let statements = try ListQuery(planning: self, database)
        knownListQuery = statements
        return statements
    }

    // MARK: - Running

    /// Runs the statement to its end, and discards its rows.
    ///
    /// - Parameter arguments: the values of the parameters. If `nil`, the current ``arguments`` are used.
    /// - Throws: `DatabaseError` if the arguments do not match the parameters, or if the statement fails;
    ///   `CancellationError` if the task of the access is cancelled.
    public func execute(arguments: StatementArguments? = nil) throws {
        _ = try prepareRun(arguments: arguments)
        try begin()
        guard run.mayWrite else {
            while try step() {}
            return
        }
        try runToEnd(holdsRows: false)
        run.isRunning = false
    }

    /// Ends the previous run, prepares the statement for another one, and returns its number.
    func prepareRun(arguments: StatementArguments? = nil) throws -> Int {
        database.checkConfinement()
        if let arguments {
            try setArguments(arguments)
        } else if let error = bound.error {
            throw error
        } else if !bound.isComplete {
            try setArguments(bound.arguments)
        }
        invalidateRun()
        // Even a cursor without an iteration has columns, and they depend on the schema.
        if !database.recordings.isEmpty { recordReads() }
        return run.number
    }

    /// Begins a run. ``step()`` continues it.
    func begin() throws {
        try database.checkCancellation()
        try database.throwDeferredError()
        try database.checkMayRun(self)
        try database.willRun(self)
        run.observed = observed
        run.isRunning = true
        run.mayWrite = !observed.isReadOnly
        setWriting(run.mayWrite)
        if !run.mayWrite, database.fetchContext?.fetch.live != nil { try beginLiveRun() }
    }

    /// Moves to the next row, and stores it in `storage.row`. Returns `false` after the last row.
    func step() throws -> Bool {
        database.checkConfinement()
        do {
            try database.checkCancellation()
        } catch {
            abandon(run: run.number)
            throw error
        }
        guard !run.mayWrite else { return try stepToHeldRow() }
        if run.heldRows != nil { return stepToKnownRow() }
        let hasRow: Bool
        do {
            hasRow = try storage.step()
        } catch {
            throw try didFail(error)
        }
        if !hasRow {
            run.isRunning = false
            recordBoundedReads(through: nil)
            storage.row.clear()
            try didEnd()
        } else if run.bound != nil {
            run.bound?.didRead(storage.row)
        }
        return hasRow
    }

    /// Moves to the next row of a writing statement. Such a statement runs to its end before it returns its
    /// first row: outside of a transaction, it checks foreign keys and commits at its end. A cursor that is
    /// not iterated to the end would miss the error.
    private func stepToHeldRow() throws -> Bool {
        if run.isWriting { try runToEnd(holdsRows: true) }
        if run.heldRows?.moveNext() == true { return true }
        releaseRows()
        run.isRunning = false
        return false
    }

    /// Releases the rows of a run that ends, also the current one: the ``Row`` of a cursor may outlive it.
    private func releaseRows() {
        run.heldRows = nil
        storage.row.clear()
    }

    /// Moves to the next row of a reading statement that need not run.
    private func stepToKnownRow() -> Bool {
        if run.heldRows?.moveNext() == true {
            if run.bound != nil { run.bound?.didRead(storage.row) }
            return true
        }
        didReturnRows()
        return false
    }

    /// Ends a run after the last row from memory.
    func didReturnRows() {
        releaseRows()
        run.isRunning = false
        recordBoundedReads(through: nil)
    }

    /// Runs a reading statement to its end, and returns its rows. Returns `nil` if it failed, or its rows
    /// exceed a limit: it will then run from the beginning, perhaps not as far as the error.
    ///
    /// - Throws: an error that ended the snapshot.
    func runToRows(limit: Int, byteLimit: Int) throws -> [Row]? {
        let wasInSnapshot = database.isInsideTransaction
        var rows: [Row] = []
        var byteCount = 0
        do {
            while try storage.step() {
                let row = Row(layout: layout, copying: storage.row.cells)
                rows.append(row)
                byteCount += row.byteCount
                if rows.count > limit || byteCount > byteLimit {
                    storage.row.clear()
                    storage.reset()
                    return nil
                }
            }
        } catch {
            if wasInSnapshot, !database.isInsideTransaction { throw try didFail(error) }
            storage.row.clear()
            storage.reset()
            return nil
        }
        storage.row.clear()
        try didEnd()
        return rows
    }

    func runToEnd(holdsRows: Bool) throws {
        var rows: [Row] = []
        do {
            while try stepWriting() {
                if holdsRows { rows.append(Row(layout: layout, copying: storage.row.cells)) }
            }
        } catch {
            throw try didFail(error)
        }
        if holdsRows { run.heldRows = HeldRows(rows, current: storage.row) }
        storage.row.clear()
        let counts = database.reportsStatements ? database.writeCounts : nil
        do {
            try didEnd()
        } catch {
            run.isRunning = false
            releaseRows()
            throw error
        }
        // Observers of its commit may have written since.
        database.observedWrite = counts
    }

    private func didEnd() throws {
        if run.isMeasured { didMeasureRun() }
        setWriting(false)
        recordLateReads()
        releaseOtherStatements()
        try database.didRun(observed)
    }

    /// Handles a failed run.
    ///
    /// - Returns: the error to throw.
    /// - Throws: the error of the transaction observer, or the cancellation, that made the statement fail.
    private func didFail(_ error: StorageError) throws -> any Error {
        run.isRunning = false
        releaseRows()
        setWriting(false)
        recordReads(after: error)
        releaseOtherStatements()
        try database.didFail()
        try database.checkCancellation(after: error)
        return DatabaseError(
            error, sql: sql, arguments: bound.arguments,
            publicStatementArguments: database.configuration.publicStatementArguments)
    }

    /// Steps a writing statement, and attributes its changes to it, even if other statements run between its
    /// steps or in the middle of one.
    private func stepWriting() throws(StorageError) -> Bool {
        let interrupted = database.willStep(self)
        defer { database.didStep(interrupted) }
        return try storage.step()
    }

    /// Ends the given run before its last row. Does nothing if it is no longer the current run.
    func abandon(run: Int) {
        if run == self.run.number { endRun() }
    }

    /// Ends the current run. Its cursor then fails.
    func invalidateRun() {
        endRun()
        run.number += 1
    }

    func endRun() {
        guard run.isRunning else { return }
        run.isRunning = false
        if run.heldRows != nil, !run.mayWrite {
            recordBoundedReads(through: storage.row)
            return releaseRows()
        }
        run.heldRows = nil
        // A writing run has either reached its end or not begun. Ending a reading run cannot fail.
        let hasEnded = run.mayWrite && !run.isWriting
        guard !hasEnded else { return storage.row.clear() }
        recordBoundedReads(through: storage.row)
        storage.row.clear()
        storage.reset()
        try? didEnd()
    }

    /// Whether errors may contain ``arguments``.
    var publicStatementArguments: Bool { database.configuration.publicStatementArguments }

    /// Releases the kept statements after a run that may change the meaning of their texts, such as ATTACH or
    /// PRAGMA.
    private func releaseOtherStatements() {
        if !isReusable, observed.access.transactionEffect == nil { database.statementCaches.kept.removeAll() }
    }

    private func setWriting(_ isWriting: Bool) {
        guard isWriting != run.isWriting else { return }
        run.isWriting = isWriting
        if isWriting {
            database.activity.writingStatementDidBegin()
        } else {
            database.activity.writingStatementDidEnd()
        }
    }
}

extension Statement: CustomStringConvertible, CustomReflectable {
    /// The SQL of the statement.
    public var description: String { sql }

    /// A mirror with the SQL and the number of parameters, without the keys of encrypted databases.
    public var customMirror: Mirror {
        Mirror(self, children: ["sql": sql, "parameterCount": parameterCount], displayStyle: .class)
    }
}
