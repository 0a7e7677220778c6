import VigilStorage
import VigilTestSupport

/// Changes to the reports of a backend, which hide information or plant mistakes.
struct Alteration: Sendable {
    /// Replaces a change, or drops it by returning `nil`. `number` is the position of the change on the connection.
    var event: @Sendable (ChangeEvent, _ number: Int) -> ChangeEvent? = { event, _ in event }
    var conditions: @Sendable (RowConditionReport) -> RowConditionReport = { $0 }
    var access: @Sendable (StatementAccess) -> StatementAccess = { $0 }
    var effect: @Sendable (TransactionEffect?) -> TransactionEffect? = { $0 }
    /// Replaces a change that a statement makes, or drops it by returning `nil`.
    var change: @Sendable (ChangeEvent, _ sql: String) -> ChangeEvent? = { event, _ in event }
    /// Returns the text that a cached statement is compiled from.
    var cachedSQL: @Sendable (String) -> String = { $0 }
    /// Replaces the error of a step. `nil` ends the rows instead.
    var error: @Sendable (StorageError, _ sql: String) -> StorageError? = { error, _ in error }
    /// Returns the text in which the conditions of a statement are recognized.
    var textOfConditions: @Sendable (String) -> String = { $0 }
    /// Replaces the plan of a result.
    var plan: @Sendable (ListPlan) -> ListPlan = { $0 }
    /// Whether reads that are discovered while a statement runs are ignored.
    var forgetsLateReads = false
    /// Whether the changes of statements that fail are dropped.
    var forgetsChangesOfFailures = false
    /// Whether the reads and conditions of a text are those of its first compilation.
    var keepsFirstReports = false
    /// Whether a transaction is treated as open until a statement ends it.
    var hidesAborts = false
}

/// The state that the statements of a connection share.
private final class AlteredState {
    /// The text of the running statement.
    var sql = ""
    /// The changes of the running statement, if they are reported after it.
    var changes: [ChangeEvent] = []
    /// Whether a statement began a transaction, and none has ended it.
    var isBegun = false
    weak var sink: (any ChangeSink)?
    /// The first report of each text, if it is kept.
    var firstReports: [String: FirstReport] = [:]
}

/// The report of a statement when its text was first compiled.
private struct FirstReport {
    let access: StatementAccess
    let conditions: RowConditionReport
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
        of location: StorageLocation, onHint: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        try base.watchForeignChanges(of: location, onHint: onHint)
    }
}

private final class AlteredConnection: ForwardingConnection, RowImageProviding {
    private let alteration: Alteration
    /// The sink of the base connection, which does not retain it.
    private var sink: AlteredSink?
    private let state = AlteredState()

    init(_ base: any StorageConnection, _ alteration: Alteration) {
        self.alteration = alteration
        super.init(base)
    }

    override var isInTransaction: Bool { base.isInTransaction || alteration.hidesAborts && state.isBegun }

    override func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        let sql = isCached ? alteration.cachedSQL(sql) : sql
        var preparation = try base.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
        let text = alteration.textOfConditions(sql)
        let other = text == sql ? nil : try base.prepare(text, fromUTF8Offset: 0, isCached: false).statement
        let conditions = other?.rowConditions
        other?.finalize()
        preparation.statement = preparation.statement.map {
            AlteredStatement($0, alteration, state, conditions: conditions, first: firstReport($0))
        }
        return preparation
    }

    private func firstReport(_ statement: any StorageStatement) -> FirstReport? {
        guard alteration.keepsFirstReports, statement.access.isReadOnly else { return nil }
        if let first = state.firstReports[statement.sql] { return first }
        let first = FirstReport(access: statement.access, conditions: statement.rowConditions)
        state.firstReports[statement.sql] = first
        return first
    }

    override func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        self.sink = sink.map { AlteredSink($0, alteration, state) }
        state.sink = sink
        base.report(to: self.sink, interest: interest)
    }

    func provideRowImages(of tables: Set<TableName>) {
        (base as? any RowImageProviding)?.provideRowImages(of: tables)
    }

    override func perform(_ command: TransactionCommand) throws(StorageError) {
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
}

final class AlteredStatement: ForwardingStatement {
    private let alteration: Alteration
    private let state: AlteredState
    private let firstAccess: StatementAccess
    private let first: FirstReport?
    /// The conditions of the replaced text, if it differs.
    private let conditions: RowConditionReport?

    fileprivate init(
        _ base: any StorageStatement, _ alteration: Alteration, _ state: AlteredState,
        conditions: RowConditionReport?, first: FirstReport?
    ) {
        self.conditions = first?.conditions ?? conditions
        self.first = first
        self.alteration = alteration
        self.state = state
        firstAccess = base.access
        super.init(base)
    }

    override var access: StatementAccess {
        if let first { return first.access }
        var access = alteration.access(alteration.forgetsLateReads ? firstAccess : base.access)
        access.transactionEffect = alteration.effect(access.transactionEffect)
        return access
    }

    override var accessRevision: Int { first == nil ? base.accessRevision : 0 }
    override var rowConditions: RowConditionReport { alteration.conditions(conditions ?? base.rowConditions) }

    override var listPlan: ListPlanReport {
        guard case .plan(let plan) = base.listPlan else { return base.listPlan }
        return .plan(alteration.plan(plan))
    }

    override func step() throws(StorageError) -> Bool {
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
