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
    /// Whether the connection keeps the statement for later runs of its text. It then releases large arguments.
    private var isKept = false
    /// Whether the arguments are large, if the statement is kept.
    private(set) var hasLargeArguments = false
    package let parameterCount: Int
    private lazy var parameterNames = (0..<parameterCount).map {
        StatementArguments.name(ofParameter: storage.parameterName(at: $0 + 1))
    }
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var known: ObservedStatement
    private var knownRevision: Int
    /// The value of ``observed`` when the current run began.
    private(set) var begun: ObservedStatement?
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var currentArguments = StatementArguments()
    /// The values of the parameters, in the order of the parameters.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var boundValues: [DatabaseValue] = []
    /// The only rows of a table that can affect the result with the current arguments, if the caller knows them.
    @exclusivity(unchecked)  // bench: unrelated-writes
    package var knownRows: (table: TableName, rowIDs: Set<Int64>)?
    /// The last region that was computed from conditions, and the values that it holds for. Observations fetch with the
    /// same values again and again (bench: one-observation).
    private var lastRegion: (observed: ObservedStatement, values: [DatabaseValue], region: DatabaseRegion)?
    /// Whether all parameters are bound.
    private var isBound: Bool
    /// The error of setting ``arguments``, which the next run throws.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var bindingError: (any Error)?
    /// The number of runs so far. A cursor uses it to detect that its run has ended.
    private(set) var runCount = 0
    /// The run whose region was recorded last: its number, that of the recording, and what the region is derived from.
    var recorded: (run: Int, recording: Int, observed: ObservedStatement)?
    /// Whether a run is in progress, which holds locks and the current row.
    private(set) var isRunning = false
    private var knownLayout: (row: StorageRow, layout: RowLayout)?
    /// The columns that are requested from the rows with ``knownLayout``.
    private var knownLookups: ColumnLookups?
    /// Whether a run that may write is in progress. Nothing is committed automatically until it ends.
    private var isWriting = false
    /// Whether the current run may write. Such a run reaches its end in its first step.
    private var runsToEnd = false
    /// The statements that fetch changed rows of this one, for lists.
    private var knownListStatements: ListStatements?
    /// The rows of a run that reached its end, until they are returned.
    private var heldRows: HeldRows?

    /// The size in bytes beyond which arguments are large.
    private static let largeArgumentsSize = 4096

    init(database: Database, storage: any StorageStatement) {
        self.database = database
        self.storage = storage
        known = ObservedStatement(storage.access)
        knownRevision = storage.accessRevision
        isReusable = storage.isReusable
        parameterCount = storage.parameterCount
        isBound = parameterCount == 0
    }

    deinit {
        if !database.isHeldByCaller { database.releasedStatements.finalize(storage, of: database) }
    }

    /// The SQL of this statement, without surrounding white space and the final semicolon, and without the keys of
    /// encrypted databases.
    public private(set) lazy var sql = storage.sql.withoutKeys.trimmedStatement

    /// The names of the result columns.
    public var columnNames: [String] {
        database.checkConfinement()
        return storage.columnNames
    }

    /// The number of result columns.
    public var columnCount: Int { storage.row.count }

    /// Returns the index of the leftmost result column with the given name, or `nil` if there is none. The
    /// case of ASCII letters is ignored.
    public func index(ofColumn name: String) -> Int? { layout.index(of: name) }

    /// The layout of the result columns, which a change of the schema may replace.
    var layout: RowLayout {
        let row = storage.row
        if let knownLayout, knownLayout.row === row { return knownLayout.layout }
        let layout = RowLayout(names: columnNames, sql: sql, showsValues: publicStatementArguments)
        knownLayout = (row, layout)
        knownLookups = nil
        return layout
    }

    /// Returns the columns that are requested from rows with a layout of this statement.
    func columnLookups(_ layout: RowLayout) -> ColumnLookups {
        guard layout === knownLayout?.layout else { return ColumnLookups(layout, of: database) }
        if let knownLookups { return knownLookups }
        let requests = ColumnLookups(layout, of: database)
        knownLookups = requests
        return requests
    }

    /// Returns the layout of the result columns as an adapter presents them.
    func layout(_ adapter: (any RowAdapter)?) throws -> RowLayout {
        try adapter?._layout(from: layout) ?? layout
    }

    /// A Boolean value that indicates whether the statement does not modify the database file.
    public var isReadonly: Bool { storage.access.isReadOnly }

    package var access: StatementAccess { storage.access }

    /// The accesses of the statement, prepared for observations. They are computed again only if the library
    /// reports new ones.
    var observed: ObservedStatement {
        if storage.accessRevision != knownRevision {
            knownRevision = storage.accessRevision
            known = ObservedStatement(storage.access)
        }
        return known
    }

    /// A Boolean value that indicates whether the statement may change tables, views, indexes or triggers.
    public var invalidatesDatabaseSchemaCache: Bool { observed.access.changesSchema }

    /// The region that the statement reads, as the library reports it.
    public var databaseRegion: DatabaseRegion { DatabaseRegion(reading: storage.access) }

    /// The region that the statement reads with the current arguments, restricted to the rows that meet the
    /// conditions of the statement. It is not restricted if ``Configuration/ignoresNoOpUpdates`` is `false`.
    package var boundRegion: DatabaseRegion {
        guard let knownRows else { return conditionalRegion }
        return conditionalRegion.restricted(toRowIDs: knownRows.rowIDs, of: knownRows.table)
    }

    private var conditionalRegion: DatabaseRegion {
        let observed = observed
        guard database.configuration.ignoresNoOpUpdates else { return observed.region(database) }
        let conditions = observed.conditions(of: storage)
        guard !conditions.tables.isEmpty else { return observed.region(database) }
        if let lastRegion, lastRegion.observed === observed, isBound(to: lastRegion.values) {
            return lastRegion.region
        }
        let region = observed.region(database).narrowed(
            to: conditions.bound { index in
                boundValues.indices.contains(index - 1) ? boundValues[index - 1].storageValue : .null
            })
        lastRegion = hasLargeArguments ? nil : (observed, boundValues, region)
        return region
    }

    private func isBound(to values: [DatabaseValue]) -> Bool {
        guard boundValues.count == values.count else { return false }
        for index in values.indices where !values[index].isIdentical(to: boundValues[index]) { return false }
        return true
    }

    /// Returns the statements that fetch changed rows of this one.
    func listStatements() throws -> ListStatements {
        if let known = knownListStatements, known.revision == storage.accessRevision { return known }
        let statements = try ListStatements(planning: self, database)
        knownListStatements = statements
        return statements
    }

    // MARK: - Arguments

    /// The values of the parameters. If they do not match the parameters, the next run of the statement
    /// throws.
    public var arguments: StatementArguments {
        get { currentArguments }
        set {
            do {
                try setArguments(newValue)
            } catch {
                bindingError = error
            }
        }
    }

    /// Sets the values of the parameters. This ends the run of a cursor that iterates the statement.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE` that names the missing or superfluous arguments.
    public func setArguments(_ arguments: StatementArguments) throws {
        if arguments.namedValues.isEmpty, arguments.values.count == parameterCount {
            currentArguments = arguments
            return try bind(arguments.values)
        }
        var rest = arguments
        let values = try rest.consume(forParametersNamed: parameterNames, sql: sql)
        currentArguments = arguments
        try bind(values)
    }

    /// Sets the values of the parameters without checking that they match. A parameter without a value
    /// becomes NULL, and a value without a parameter is ignored. If a value cannot be bound, the next run of
    /// the statement throws.
    public func setUncheckedArguments(_ arguments: StatementArguments) {
        var values = arguments.values[...]
        let bindings = parameterNames.map { name in
            name.flatMap { arguments.namedValues[ExactString($0)] } ?? values.popFirst() ?? .null
        }
        currentArguments = arguments
        do {
            try bind(bindings)
        } catch {
            bindingError = error
        }
    }

    /// Checks whether `arguments` match the parameters, without setting them.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE` that names the missing or superfluous arguments.
    public func validateArguments(_ arguments: StatementArguments) throws {
        var rest = arguments
        _ = try rest.consume(forParametersNamed: parameterNames, sql: sql)
    }

    /// Sets the values of the parameters, and removes them from the front of `arguments`.
    func takeArguments(from arguments: inout StatementArguments) throws {
        let values = try arguments.consume(
            forParametersNamed: parameterNames, sql: sql, allowsRemainder: true)
        currentArguments = StatementArguments(databaseValues: values)
        try bind(values)
    }

    private func bind(_ values: [DatabaseValue]) throws {
        database.checkConfinement()
        endRun()
        runCount += 1
        bindingError = nil
        isBound = true
        boundValues = values
        knownRows = nil
        guard !values.isEmpty else { return }
        if isKept { noteLargeArguments() }
        let storage = storage
        try database.storage { () throws(StorageError) in
            for index in values.indices { try storage.bind(values[index].storageValue, at: index + 1) }
        }
    }

    /// The values of the parameters, in their order.
    var boundArguments: [DatabaseValue] { boundValues }

    /// Binds the values of another statement to the first parameters, and NULL to one more if there is one.
    func bind(likeThoseOf other: Statement, andOne: Bool = false) throws {
        try bind(andOne ? other.boundValues + [.null] : other.boundValues)
    }

    /// Binds an integer to the last parameter, and ends the current run.
    func bindLast(_ integer: Int64) throws {
        endRun()
        let (storage, index) = (storage, parameterCount)
        try database.storage { () throws(StorageError) in try storage.bind(.integer(integer), at: index) }
    }

    /// Notes that the connection keeps the statement.
    func didKeep() {
        isKept = true
        noteLargeArguments()
    }

    private func noteLargeArguments() {
        hasLargeArguments = boundValues.reduce(0) { $0 + $1.byteCount } > Self.largeArgumentsSize
        if hasLargeArguments { database.hasLargeKeptArguments = true }
    }

    /// Releases the arguments of the last run if they are large, because a kept statement can live for long.
    func releaseLargeArguments() {
        guard hasLargeArguments else { return }
        hasLargeArguments = false
        endRun()
        storage.clearBindings()
        boundValues = []
        lastRegion = nil
        currentArguments = StatementArguments()
        isBound = parameterCount == 0
    }

    // MARK: - Running

    /// Runs the statement to its end, and discards the rows that it returns.
    ///
    /// - Parameter arguments: the values of the parameters. If `nil`, the current ``arguments`` are used.
    /// - Throws: `DatabaseError` if the arguments do not match the parameters, or if the statement fails;
    ///   `CancellationError` if the task of the access is cancelled.
    public func execute(arguments: StatementArguments? = nil) throws {
        _ = try prepareRun(arguments: arguments)
        try begin()
        guard runsToEnd else {
            while try step() {}
            return
        }
        try runToEnd(holdsRows: false)
        isRunning = false
    }

    /// Ends the previous run, and prepares the statement for another one.
    ///
    /// - Returns: the number of the run.
    func prepareRun(arguments: StatementArguments? = nil) throws -> Int {
        database.checkConfinement()
        if let arguments {
            try setArguments(arguments)
        } else if let bindingError {
            throw bindingError
        } else if !isBound {
            try setArguments(currentArguments)
        }
        endRun()
        runCount += 1
        // A cursor that is never iterated has columns too, which depend on the schema.
        if !database.recordings.isEmpty { recordReads() }
        return runCount
    }

    /// Begins a run, which ``step()`` continues.
    func begin() throws {
        try database.checkCancellation()
        try database.throwDeferredError()
        try database.checkMayRun(self)
        try database.willRun(self)
        begun = observed
        isRunning = true
        runsToEnd = !observed.isReadOnly
        setWriting(runsToEnd)
    }

    /// Moves to the next row, which it stores in `storage.row`. Returns `false` after the last row.
    func step() throws -> Bool {
        database.checkConfinement()
        do {
            try database.checkCancellation()
        } catch {
            abandon(run: runCount)
            throw error
        }
        guard !runsToEnd else { return try stepToHeldRow() }
        let hasRow: Bool
        do {
            hasRow = try storage.step()
        } catch {
            throw try didFail(error)
        }
        if !hasRow {
            isRunning = false
            try didEnd()
        }
        return hasRow
    }

    /// Moves to the next row of a statement that may write. Such a statement runs to its end before it
    /// returns its first row: outside of a transaction, it checks foreign keys and commits at its end, and a
    /// cursor that is not iterated to the end would miss the error.
    private func stepToHeldRow() throws -> Bool {
        if isWriting { try runToEnd(holdsRows: true) }
        if heldRows?.moveNext(to: storage.row) == true { return true }
        heldRows = nil
        isRunning = false
        return false
    }

    private func runToEnd(holdsRows: Bool) throws {
        do {
            while try stepWriting() {
                guard holdsRows else { continue }
                let rows = heldRows ?? HeldRows()
                rows.append(storage.row)
                heldRows = rows
            }
        } catch {
            throw try didFail(error)
        }
        do {
            try didEnd()
        } catch {
            isRunning = false
            heldRows = nil
            throw error
        }
    }

    private func didEnd() throws {
        setWriting(false)
        recordLateReads()
        releaseOtherStatements()
        try database.didRun(observed)
    }

    /// Handles a failed run.
    ///
    /// - Returns: the error to throw.
    /// - Throws: the error of the transaction observer or the cancellation that made the statement fail.
    private func didFail(_ error: StorageError) throws -> any Error {
        isRunning = false
        heldRows = nil
        setWriting(false)
        recordReads(after: error)
        releaseOtherStatements()
        try database.didFail()
        try database.checkCancellation(after: error)
        return DatabaseError(
            error, sql: sql, arguments: currentArguments,
            publicStatementArguments: database.configuration.publicStatementArguments)
    }

    /// Steps a statement that may write, and attributes its changes to it, even if other statements run
    /// between its steps or in the middle of one.
    private func stepWriting() throws(StorageError) -> Bool {
        let interrupted = database.willStep(self)
        defer { database.didStep(interrupted) }
        return try storage.step()
    }

    /// Ends the given run before its last row. Does nothing if it is no longer the current run.
    func abandon(run: Int) {
        if run == runCount { endRun() }
    }

    private func endRun() {
        guard isRunning else { return }
        isRunning = false
        heldRows = nil
        // A run that may write has either reached its end or not begun. Ending a run that only reads cannot
        // fail.
        let hasEnded = runsToEnd && !isWriting
        guard !hasEnded else { return }
        storage.reset()
        try? didEnd()
    }

    /// Whether errors may contain ``arguments``.
    var publicStatementArguments: Bool { database.configuration.publicStatementArguments }

    /// Releases the kept statements after a run that may change what their texts mean, as an ATTACH or a PRAGMA does.
    private func releaseOtherStatements() {
        if !isReusable, observed.access.transactionEffect == nil { database.reusedStatements.removeAll() }
    }

    private func setWriting(_ isWriting: Bool) {
        guard isWriting != self.isWriting else { return }
        self.isWriting = isWriting
        if isWriting {
            database.activity.writingStatementDidBegin()
        } else {
            database.activity.writingStatementDidEnd()
        }
    }
}

extension Statement: CustomStringConvertible {
    /// The SQL of the statement.
    public var description: String { sql }
}
