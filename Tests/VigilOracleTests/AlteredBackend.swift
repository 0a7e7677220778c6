import VigilStorage

/// What another backend does, altered in what it tells: to leave knowledge out, or to plant mistakes.
struct Alteration: Sendable {
    /// What becomes of a change; `nil` keeps it quiet. The number counts the changes of a connection.
    var event: @Sendable (ChangeEvent, _ number: Int) -> ChangeEvent? = { event, _ in event }
    var conditions: @Sendable (RowConditionReport) -> RowConditionReport = { $0 }
    var access: @Sendable (StatementAccess) -> StatementAccess = { $0 }
    var effect: @Sendable (TransactionEffect?) -> TransactionEffect? = { $0 }
    /// What becomes of a change that a statement makes; `nil` keeps it quiet.
    var change: @Sendable (ChangeEvent, _ sql: String) -> ChangeEvent? = { event, _ in event }
    /// What a statement that the caller keeps is compiled from.
    var cachedSQL: @Sendable (String) -> String = { $0 }
    /// What a step throws; `nil` takes it for the end of the rows.
    var error: @Sendable (StorageError, _ sql: String) -> StorageError? = { error, _ in error }
    /// The text that the conditions of a statement are found in.
    var textOfConditions: @Sendable (String) -> String = { $0 }
    /// Whether what a statement reads is known only from its text.
    var forgetsLateReads = false
    /// Whether a statement that fails is taken to have changed nothing.
    var forgetsChangesOfFailures = false
    /// Whether a transaction is taken to be open until it is ended with a command.
    var hidesAborts = false
}

/// What the statements of a connection share.
private final class AlteredState {
    /// The statement that runs.
    var sql = ""
    /// Its changes, if they are told after it.
    var changes: [ChangeEvent] = []
    /// Whether a command began a transaction, and none ended it.
    var isBegun = false
    weak var sink: (any ChangeSink)?
}

struct AlteredBackend: StorageBackend {
    let base: any StorageBackend
    let alteration: Alteration

    var name: String { base.name }

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        AlteredConnection(try base.open(location, options: options), alteration)
    }

    func watchForeignChanges(
        of location: StorageLocation, onSign: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        try base.watchForeignChanges(of: location, onSign: onSign)
    }
}

private final class AlteredConnection: RowImageProviding, FunctionHosting {
    private let base: any StorageConnection
    private let alteration: Alteration
    /// The base does not retain it.
    private var sink: AlteredSink?
    private let state = AlteredState()

    init(_ base: any StorageConnection, _ alteration: Alteration) {
        self.base = base
        self.alteration = alteration
    }

    var capabilities: StorageCapabilities { base.capabilities }
    var lastInsertedRowID: Int64 { base.lastInsertedRowID }
    var changesCount: Int { base.changesCount }
    var totalChangesCount: Int { base.totalChangesCount }
    var interrupter: any StorageInterrupter { base.interrupter }
    var isInTransaction: Bool { base.isInTransaction || alteration.hidesAborts && state.isBegun }

    func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        let sql = isCached ? alteration.cachedSQL(sql) : sql
        var preparation = try base.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
        let text = alteration.textOfConditions(sql)
        let other = text == sql ? nil : try base.prepare(text, fromUTF8Offset: 0, isCached: false).statement
        let conditions = other?.rowConditions
        other?.finalize()
        preparation.statement = preparation.statement.map {
            AlteredStatement($0, alteration, state, conditions: conditions)
        }
        return preparation
    }

    func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        self.sink = sink.map { AlteredSink($0, alteration, state) }
        state.sink = sink
        base.report(to: self.sink, interest: interest)
    }

    func provideRowImages(of tables: Set<TableName>) {
        (base as? any RowImageProviding)?.provideRowImages(of: tables)
    }

    func add(_ function: StorageFunction) throws(StorageError) {
        try (base as? any FunctionHosting)?.add(function)
    }

    func removeFunction(named name: String, argumentCount: Int?) throws(StorageError) {
        try (base as? any FunctionHosting)?.removeFunction(named: name, argumentCount: argumentCount)
    }

    var isRunningWrite: Bool { (base as? any FunctionHosting)?.isRunningWrite ?? false }

    func beginSnapshot() throws(StorageError) { try base.beginSnapshot() }
    func perform(_ command: TransactionCommand) throws(StorageError) {
        switch command {
        case .beginDeferred, .beginImmediate, .beginExclusive:
            try base.perform(command)
            state.isBegun = true
        case .commit, .rollback:
            state.isBegun = false
            try base.perform(command)
        default: try base.perform(command)
        }
    }
    func setReadOnly(_ isReadOnly: Bool) throws(StorageError) { try base.setReadOnly(isReadOnly) }
    func foreignChangeToken() throws(StorageError) -> Int64? { try base.foreignChangeToken() }
    func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
        try base.table(name, in: schema)
    }
    func tables() throws(StorageError) -> [TableName] { try base.tables() }
    func releaseMemory() { base.releaseMemory() }
    func close() throws(StorageError) { try base.close() }
}

final class AlteredStatement: StorageStatement {
    /// As the other backend made it.
    let base: any StorageStatement
    private let alteration: Alteration
    private let state: AlteredState
    private let firstAccess: StatementAccess
    /// Those of another text, if they are taken for its own.
    private let conditions: RowConditionReport?

    fileprivate init(
        _ base: any StorageStatement, _ alteration: Alteration, _ state: AlteredState,
        conditions: RowConditionReport?
    ) {
        self.conditions = conditions
        self.base = base
        self.alteration = alteration
        self.state = state
        firstAccess = base.access
    }

    var access: StatementAccess {
        var access = alteration.access(alteration.forgetsLateReads ? firstAccess : base.access)
        access.transactionEffect = alteration.effect(access.transactionEffect)
        return access
    }

    var sql: String { base.sql }
    var accessRevision: Int { base.accessRevision }
    var rowConditions: RowConditionReport { alteration.conditions(conditions ?? base.rowConditions) }
    var parameterCount: Int { base.parameterCount }
    var columnNames: [String] { base.columnNames }
    var row: StorageRow { base.row }
    var expandedSQL: String { base.expandedSQL }

    func parameterName(at index: Int) -> String? { base.parameterName(at: index) }
    func bind(_ value: StorageValue, at index: Int) throws(StorageError) { try base.bind(value, at: index) }
    func clearBindings() { base.clearBindings() }

    func step() throws(StorageError) -> Bool {
        state.sql = base.sql
        state.changes = []
        do throws(StorageError) {
            let hasRow = try base.step()
            for change in state.changes { state.sink?.didChange(change) }
            return hasRow
        } catch {
            guard let error = alteration.error(error, base.sql) else { return false }
            throw error
        }
    }

    func reset() { base.reset() }
    func finalize() { base.finalize() }
}

private final class AlteredSink: ChangeSink {
    private weak var target: (any ChangeSink)?
    private let alteration: Alteration
    private let state: AlteredState
    private var count = 0

    init(_ target: any ChangeSink, _ alteration: Alteration, _ state: AlteredState) {
        self.target = target
        self.alteration = alteration
        self.state = state
    }

    func didChange(_ event: ChangeEvent) {
        count += 1
        guard let event = alteration.event(event, count).flatMap({ alteration.change($0, state.sql) }) else {
            return
        }
        if alteration.forgetsChangesOfFailures {
            state.changes.append(event.withImages { _ in nil })
        } else {
            target?.didChange(event)
        }
    }

    func willCommit() -> Bool { target?.willCommit() ?? true }

    func didRollback() {
        if alteration.hidesAborts, state.isBegun { return }
        target?.didRollback()
    }
}
