public import VigilRegions
package import VigilStorage

/// A compiled statement.
///
/// It belongs to the connection that compiled it, is used inside an access of that connection, and keeps it open.
public final class Statement {
    let database: Database
    let storage: any StorageStatement
    private let parameterCount: Int
    private lazy var parameterNames = (0..<parameterCount).map {
        StatementArguments.name(ofParameter: storage.parameterName(at: $0 + 1))
    }
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var known: ObservedStatement
    private var knownRevision: Int
    /// What was known about it when the current run began.
    private var begun: ObservedStatement?
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var currentArguments = StatementArguments()
    /// The values of the parameters, in their order.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var boundValues: [DatabaseValue] = []
    /// Whether the parameters have their values, if there are any.
    private var isBound: Bool
    /// Values that could not be bound when they were set; told when the statement runs.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var bindingError: (any Error)?
    /// Counts runs: a cursor of an earlier run finds that it is over.
    private(set) var runCount = 0
    /// Whether a run has begun and not ended, so that it holds locks and the current row.
    private(set) var isRunning = false
    private var knownLayout: (row: StorageRow, layout: RowLayout)?
    /// Whether a run that may write was begun and has not ended: nothing is committed meanwhile.
    private var isWriting = false
    /// Whether the current run may write. It reaches its end in its first step.
    private var runsToEnd = false
    /// The rows of a run that reached its end, and that were not returned yet.
    private var heldRows: HeldRows?

    init(database: Database, storage: any StorageStatement) {
        self.database = database
        self.storage = storage
        known = ObservedStatement(storage.access)
        knownRevision = storage.accessRevision
        parameterCount = storage.parameterCount
        isBound = parameterCount == 0
    }

    deinit {
        if !database.isHeldByCaller { database.releasedStatements.finalize(storage, of: database) }
    }

    /// The SQL of this one statement, without the white space around it and the semicolon at its end.
    public private(set) lazy var sql = storage.sql.trimmedStatement

    /// The names of the columns of its rows.
    public var columnNames: [String] {
        database.checkConfinement()
        return storage.columnNames
    }

    /// The number of columns of its rows.
    public var columnCount: Int { storage.row.count }

    /// The index of the leftmost column of that name, whatever the case of its ASCII letters.
    public func index(ofColumn name: String) -> Int? { layout.index(of: name) }

    /// The columns of its rows, which a change of the schema may change.
    var layout: RowLayout {
        let row = storage.row
        if let knownLayout, knownLayout.row === row { return knownLayout.layout }
        let layout = RowLayout(names: columnNames, sql: sql)
        knownLayout = (row, layout)
        return layout
    }

    /// The columns of its rows when they are read through an adapter.
    func layout(_ adapter: (any RowAdapter)?) throws -> RowLayout {
        try adapter?._layout(from: layout) ?? layout
    }

    /// Whether the statement leaves the database file as it is.
    public var isReadonly: Bool { storage.access.isReadOnly }

    package var access: StatementAccess { storage.access }

    /// What is known about it; made again only if it turned out to touch more.
    var observed: ObservedStatement {
        if storage.accessRevision != knownRevision {
            knownRevision = storage.accessRevision
            known = ObservedStatement(storage.access)
        }
        return known
    }

    /// Whether tables, views, indexes or triggers may be different after it ran.
    public var invalidatesDatabaseSchemaCache: Bool { observed.access.changesSchema }

    /// What the statement reads, as the database reports it.
    public var databaseRegion: DatabaseRegion { DatabaseRegion(reading: storage.access) }

    /// What the statement reads with the values that are bound now: of a table whose rows must meet conditions, only
    /// those that do. As coarse as ``databaseRegion`` where it is asked for the granularity of statements.
    package var boundRegion: DatabaseRegion {
        let observed = observed
        guard database.configuration.ignoresNoOpUpdates else { return observed.region }
        let conditions = observed.conditions(of: storage)
        guard !conditions.tables.isEmpty else { return observed.region }
        return observed.region.narrowed(
            to: conditions.bound { index in
                boundValues.indices.contains(index - 1) ? boundValues[index - 1].storageValue : .null
            })
    }

    // MARK: - Arguments

    /// The values of its parameters. A wrong number of them is told when the statement runs.
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

    /// Sets the values of its parameters, and ends the run of a cursor that reads the statement's rows.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE` that names what is missing or too much.
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

    /// Sets the values of its parameters, as far as there are any: a parameter without a value is NULL, a value
    /// without a parameter is left out.
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

    /// Tells whether `arguments` has what ``setArguments(_:)`` needs, and sets nothing.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE` that names what is missing or too much.
    public func validateArguments(_ arguments: StatementArguments) throws {
        var rest = arguments
        _ = try rest.consume(forParametersNamed: parameterNames, sql: sql)
    }

    /// Takes the values that this statement needs from the front of `arguments`.
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
        guard !values.isEmpty else { return }
        let storage = storage
        try database.storage { () throws(StorageError) in
            for index in values.indices { try storage.bind(values[index].storageValue, at: index + 1) }
        }
    }

    // MARK: - Running

    /// Runs the statement to its end, and drops the rows that it returns.
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

    /// Makes the statement ready for another run, which ends the one before.
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
        return runCount
    }

    /// Begins a run; ``step()`` continues it.
    func begin() throws {
        try database.checkCancellation()
        try database.checkMayRun(self)
        try database.willRun(self)
        begun = observed
        isRunning = true
        runsToEnd = !observed.isReadOnly
        setWriting(runsToEnd)
    }

    /// The next row, in `storage.row`; `false` after the last.
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

    /// The next row of a statement that may write. It reaches its end before its first row is returned: a statement
    /// outside of a transaction commits there, and checks foreign keys there, so the error would be lost with a cursor
    /// that is not iterated to its end.
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
        try database.didRun(observed)
    }

    /// - Returns: the error to be thrown.
    /// - Throws: the error with which a transaction observer or a cancellation made the statement fail.
    private func didFail(_ error: StorageError) throws -> any Error {
        isRunning = false
        heldRows = nil
        setWriting(false)
        recordReads(after: error)
        try database.didFail()
        try database.checkCancellation(after: error)
        return DatabaseError(
            error, sql: sql, arguments: currentArguments,
            publicStatementArguments: database.configuration.publicStatementArguments)
    }

    /// Others may have run since the last step, and may run in the middle of this one: what this statement changes is told
    /// as its own all the same.
    private func stepWriting() throws(StorageError) -> Bool {
        let interrupted = database.willStep(self)
        defer { database.didStep(interrupted) }
        return try storage.step()
    }

    /// Ends a run before its last row.
    func abandon(run: Int) {
        if run == runCount { endRun() }
    }

    private func endRun() {
        guard isRunning else { return }
        isRunning = false
        heldRows = nil
        // What may write has reached its end, or has not begun. The end of what only reads cannot fail.
        let hasEnded = runsToEnd && !isWriting
        guard !hasEnded else { return }
        storage.reset()
        try? didEnd()
    }

    /// Whether errors may show ``arguments``.
    var publicStatementArguments: Bool { database.configuration.publicStatementArguments }

    /// A statement that was compiled anew, because somebody else changed the schema, may read more than it was known to.
    private func recordLateReads() {
        guard observed !== begun, !database.recordings.isEmpty else { return }
        // Its conditions may be others too: with which of them it ran is not known.
        database.record(observed.region)
    }

    /// A failed run may depend on more than the statement's region: on the schema, if the statement was compiled again,
    /// or on a row outside of its conditions, for which a function was called first. An interruption depends on nothing
    /// in the database.
    private func recordReads(after error: StorageError) {
        recordLateReads()
        if error.code.primary != .interrupt { database.record(.fullDatabase) }
    }

    private func setWriting(_ isWriting: Bool) {
        guard isWriting != self.isWriting else { return }
        self.isWriting = isWriting
        database.writingStatementCount += isWriting ? 1 : -1
    }
}

extension Statement: CustomStringConvertible {
    /// ``sql``.
    public var description: String { sql }
}
