import Foundation
import VigilStorage

/// A connection with a planted bug.
final class FaultyConnection: StorageConnection {
    private let base: any StorageConnection
    private let bug: PlantedBug
    /// Retained here, because the base connection does not retain its sink.
    private var sink: FaultySink?
    private var isClosed = false
    /// The statement that stepped last, for a bug that allows one running statement at a time.
    private weak var running: FaultyStatement?

    private let didRollBack: () -> Void

    /// - Parameter didRollBack: called after a rollback, if the feed reports rollbacks.
    init(_ base: any StorageConnection, _ bug: PlantedBug, didRollBack: @escaping () -> Void) {
        self.didRollBack = didRollBack
        self.base = base
        self.bug = bug
    }

    var capabilities: StorageCapabilities {
        var capabilities = base.capabilities
        if bug == .survivesErrorsInSpiteOfItsCapabilities { capabilities.survivesStatementErrors = false }
        if bug == .excludesWritersInSpiteOfItsCapabilities { capabilities.excludesWriters = false }
        return capabilities
    }
    var lastInsertedRowID: Int64 { base.lastInsertedRowID }
    var changesCount: Int { bug == .countsNoChanges ? 0 : base.changesCount }
    var totalChangesCount: Int { base.totalChangesCount }

    var interrupter: any StorageInterrupter {
        bug == .losesInterruptions ? DeafInterrupter() : base.interrupter
    }

    // MARK: Statements

    func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        var preparation = try compile(sql, offset, isCached)
        if bug == .compilesBlanks, preparation.statement == nil, offset == 0 {
            preparation = try compile("SELECT name FROM sqlite_master", 0, false)
        }
        if bug == .losesLaterStatements { preparation.endUTF8Offset = sql.utf8.count }
        preparation.statement = preparation.statement.map { FaultyStatement($0, bug, self) }
        return preparation
    }

    private func compile(_ sql: String, _ offset: Int, _ isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        var sql = sql
        if bug == .stopsAtNullCharacters { sql = String(sql.unicodeScalars.prefix { $0 != "\0" }) }
        if bug == .ignoresConflictClauses {
            sql = sql.replacingOccurrences(of: "OR (REPLACE|IGNORE) ", with: "", options: .regularExpression)
        }
        do throws(StorageError) {
            return try base.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
        } catch {
            throw bug == .explainsNoErrors ? StorageError(error.code, "an error") : error
        }
    }

    func willStep(_ statement: FaultyStatement) {
        if bug == .runsOneStatementAtATime, let running, running !== statement { running.reset() }
        running = statement
    }

    // MARK: Transactions

    var isInTransaction: Bool { bug != .hidesTransactions && base.isInTransaction }

    func beginSnapshot() throws(StorageError) { try base.beginSnapshot() }

    func perform(_ command: TransactionCommand) throws(StorageError) {
        switch (bug, command) {
        case (.commitsNothing, .commit): try base.perform(.rollback)
        case (.commitsInsteadOfRollingBack, .rollback): try base.perform(.commit)
        case (.keepsNoSnapshot, .beginDeferred): break
        case (.readsAtBegin, .beginDeferred):
            try base.perform(command)
            try step("SELECT name FROM sqlite_master")
        case (.quotesNoNames, .savepoint(let name)): try step("SAVEPOINT \(name)")
        case (.ignoresTransactionErrors, _): try? base.perform(command)
        case (.feedReportsRollbacks, .rollback):
            try base.perform(command)
            didRollBack()
        default: try base.perform(command)
        }
    }

    private func step(_ sql: String) throws(StorageError) {
        let statement = try base.prepare(sql, fromUTF8Offset: 0, isCached: false).statement
        defer { statement?.finalize() }
        _ = try statement?.step()
    }

    // MARK: Other requirements

    func setReadOnly(_ isReadOnly: Bool) throws(StorageError) {
        if bug != .ignoresReadOnlyMode { try base.setReadOnly(isReadOnly) }
    }

    func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        if bug == .keepsReporting, sink == nil { return }
        self.sink = sink.map { FaultySink($0, bug) }
        let asksForAll = bug == .reportsAllInterests && sink != nil
        base.report(to: self.sink, interest: asksForAll ? .everyRow : interest)
        if bug == .reportsWithoutCause {
            let table = TableName(name: "player")
            sink?.didChange(.row(RowChange(table: table, kind: .update, oldKey: .unknown, newKey: .unknown)))
        }
    }

    func foreignChangeToken() throws(StorageError) -> Int64? {
        switch bug {
        case .tokenIsConstant: 0
        case .tokenCountsOwnCommits: try base.foreignChangeToken().map { $0 + Int64(totalChangesCount) }
        default: try base.foreignChangeToken()
        }
    }

    func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
        switch bug {
        case .describesNoTable: nil
        case .inventsTables:
            StorageTable(name: TableName(name: name), kind: .table, columns: [], hasRowID: true)
        default: try base.table(name, in: schema)
        }
    }

    func tables() throws(StorageError) -> [TableName] {
        switch bug {
        case .describesNoTable: []
        case .listsTheTableOfTables: try base.tables() + [TableName(name: "sqlite_master")]
        default: try base.tables()
        }
    }

    func releaseMemory() { base.releaseMemory() }

    func close() throws(StorageError) {
        if bug == .closesOnce, isClosed { throw StorageError(.misuse, "closed twice") }
        isClosed = true
        switch bug {
        case .leavesLocksBehind: break
        case .closesWithLiveStatements: try? base.close()
        default: try base.close()
        }
    }
}

private final class DeafInterrupter: StorageInterrupter {
    func interrupt() {}
}
