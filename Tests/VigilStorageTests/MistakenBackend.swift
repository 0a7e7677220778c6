import VigilStorage

/// A mistake that a backend could make.
enum Mistake: Sendable {
    case losesDeletions
    case losesRollbacks
    case losesReplacedRows
    case losesCoarseReports
    case reportsOldKeyOnly
    case retainsSink
    case ignoresVeto
    case reportsAllInterests
    case confusesEmptyBlobWithNull
    case tokenCountsOwnCommits
    case tokenIsConstant
    case asksNoBusyHandler
    case neverSigns
    case signsAfterCancel
    case losesInterruptions
    case closesWithLiveStatements
    case createsMissingDatabases
    case hidesReadColumns
    case commitsNothing
    case ignoresReadOnlyMode
}

/// A backend that makes one mistake, and does everything else as another one does it.
struct MistakenBackend: StorageBackend {
    let base: any StorageBackend
    let mistake: Mistake

    var name: String { base.name }

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        var options = options
        if mistake == .asksNoBusyHandler { options.busyHandler = nil }
        if mistake == .createsMissingDatabases { options.access = .create }
        return MistakenConnection(try base.open(location, options: options), mistake)
    }

    func watchForeignChanges(
        of location: StorageLocation, onSign: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        if mistake == .neverSigns { return SilentWatch() }
        let watch = try base.watchForeignChanges(of: location, onSign: onSign)
        if mistake == .signsAfterCancel { return watch.map(DeafWatch.init) }
        return watch
    }
}

private final class SilentWatch: StorageWatch {
    func cancel() {}
}

/// Does not listen to cancel().
private final class DeafWatch: StorageWatch {
    private let base: any StorageWatch

    init(_ base: any StorageWatch) { self.base = base }

    func cancel() {}
}

private final class MistakenConnection: StorageConnection {
    private let base: any StorageConnection
    private let mistake: Mistake
    /// The base does not retain it.
    private var filter: MistakenSink?
    private var ownCommits: Int64 = 0

    init(_ base: any StorageConnection, _ mistake: Mistake) {
        self.base = base
        self.mistake = mistake
    }

    var capabilities: StorageCapabilities { base.capabilities }

    var interrupter: any StorageInterrupter {
        mistake == .losesInterruptions ? DeafInterrupter() : base.interrupter
    }

    func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        var preparation = try base.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
        preparation.statement = preparation.statement.map { MistakenStatement($0, mistake) }
        return preparation
    }

    func perform(_ command: TransactionCommand) throws(StorageError) {
        let isForgotten = mistake == .commitsNothing && command == .commit
        try base.perform(isForgotten ? .rollback : command)
    }

    var isInTransaction: Bool { base.isInTransaction }
    var lastInsertedRowID: Int64 { base.lastInsertedRowID }
    var changesCount: Int { base.changesCount }
    var totalChangesCount: Int { base.totalChangesCount }

    func setReadOnly(_ isReadOnly: Bool) throws(StorageError) {
        if mistake != .ignoresReadOnlyMode { try base.setReadOnly(isReadOnly) }
    }

    func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        filter = sink.map { MistakenSink($0, mistake) }
        let asksForAll = mistake == .reportsAllInterests && sink != nil
        base.report(to: filter, interest: asksForAll ? .everyRow : interest)
    }

    func foreignChangeToken() throws(StorageError) -> Int64? {
        switch mistake {
        case .tokenIsConstant: 0
        case .tokenCountsOwnCommits: try base.foreignChangeToken().map { $0 + Int64(totalChangesCount) }
        default: try base.foreignChangeToken()
        }
    }

    func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
        try base.table(name, in: schema)
    }

    func releaseMemory() { base.releaseMemory() }

    func close() throws(StorageError) {
        do throws(StorageError) {
            try base.close()
        } catch {
            if mistake != .closesWithLiveStatements { throw error }
        }
    }
}

private final class DeafInterrupter: StorageInterrupter {
    func interrupt() {}
}

/// Passes on what it is told, with the mistake.
private final class MistakenSink: ChangeSink {
    private weak var target: (any ChangeSink)?
    private let retained: (any ChangeSink)?
    private let mistake: Mistake

    init(_ target: any ChangeSink, _ mistake: Mistake) {
        self.target = target
        self.mistake = mistake
        retained = mistake == .retainsSink ? target : nil
    }

    func didChange(_ event: ChangeEvent) {
        switch (mistake, event) {
        case (.losesDeletions, .row(let row)) where row.kind == .delete: break
        case (.losesReplacedRows, _) where ReplaceFlag.isReplacing && !event.isInsertion: break
        case (.losesCoarseReports, .table), (.losesCoarseReports, .database): break
        case (.reportsOldKeyOnly, .row(let row)) where row.kind == .update:
            let change = RowChange(table: row.table, kind: .update, oldKey: row.oldKey, newKey: row.oldKey)
            target?.didChange(.row(change))
        default: target?.didChange(event)
        }
    }

    func willCommit() -> Bool {
        let answer = target?.willCommit() ?? true
        return mistake == .ignoresVeto || answer
    }

    func didRollback() {
        if mistake != .losesRollbacks { target?.didRollback() }
    }
}

extension ChangeEvent {
    fileprivate var isInsertion: Bool {
        if case .row(let row) = self { row.kind == .insert } else { false }
    }
}

/// Whether the statement that runs on this thread is a REPLACE.
private enum ReplaceFlag {
    @TaskLocal static var isReplacing = false
}

private final class MistakenStatement: StorageStatement {
    private let base: any StorageStatement
    private let mistake: Mistake

    init(_ base: any StorageStatement, _ mistake: Mistake) {
        self.base = base
        self.mistake = mistake
    }

    var sql: String { base.sql }
    var parameterCount: Int { base.parameterCount }
    var columnNames: [String] { base.columnNames }
    var row: StorageRow { base.row }
    var expandedSQL: String { base.expandedSQL }

    var access: StatementAccess {
        guard mistake == .hidesReadColumns else { return base.access }
        var access = base.access
        for index in access.reads.indices { access.reads[index].columns = [] }
        return access
    }

    func parameterName(at index: Int) -> String? { base.parameterName(at: index) }

    func bind(_ value: StorageValue, at index: Int) throws(StorageError) {
        let isConfused = mistake == .confusesEmptyBlobWithNull && value == .blob([])
        try base.bind(isConfused ? .null : value, at: index)
    }

    func clearBindings() { base.clearBindings() }

    func step() throws(StorageError) -> Bool {
        let result = ReplaceFlag.$isReplacing.withValue(sql.contains("OR REPLACE")) {
            Result { () throws(StorageError) -> Bool in try base.step() }
        }
        return try result.get()
    }

    func reset() { base.reset() }

    func finalize() { base.finalize() }
}
