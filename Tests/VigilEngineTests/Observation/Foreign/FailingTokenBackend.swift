import Synchronization
import Vigil
import VigilStorage

/// The default backend, except that the test controls whether checks for foreign changes fail.
///
/// A hint follows each failed check, so that the next check soon follows.
final class FailingTokenBackend: ForwardingBackend {
    private struct State {
        var code: StorageError.Code?
        var onHint: (@Sendable () -> Void)?
        var cannotWatch = false
        var beforeNextCheck: (@Sendable () -> Void)?
    }

    let base = makeDefaultBackend()
    /// One value for each failed check.
    let failures = ArrivingValues<Int>()
    private let state = Mutex(State())

    /// Makes checks fail with a code, or succeed if it is `nil`.
    func fail(with code: StorageError.Code?) { state.withLock { $0.code = code } }

    /// Calls `body` before the next check. The writer checks at each commit while lists are observed: after
    /// other connections see the commit, and before it is reported.
    func beforeNextCheck(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.beforeNextCheck = body }
    }

    /// Makes it impossible to watch files.
    func failToWatch() { state.withLock { $0.cannotWatch = true } }

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        FailingTokenConnection(try base.open(location, options: options)) { [self] in willCheck() }
    }

    func watchForeignChanges(
        of location: StorageLocation, onHint: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        let cannotWatch = state.withLock { state in
            state.onHint = onHint
            return state.cannotWatch
        }
        if cannotWatch { throw StorageError(.ioError, "a planted failure") }
        return try base.watchForeignChanges(of: location, onHint: onHint)
    }

    private func willCheck() -> StorageError? {
        let (code, onHint, beforeCheck) = state.withLock { state in
            defer { state.beforeNextCheck = nil }
            return (state.code, state.onHint, state.beforeNextCheck)
        }
        beforeCheck?()
        guard let code else { return nil }
        failures.append(0)
        onHint?()
        return StorageError(code, "a planted failure")
    }
}

private final class FailingTokenConnection: StorageConnection {
    private let base: any StorageConnection
    private let willCheck: () -> StorageError?

    init(_ base: any StorageConnection, willCheck: @escaping () -> StorageError?) {
        self.base = base
        self.willCheck = willCheck
    }

    func foreignChangeToken() throws(StorageError) -> Int64? {
        if let error = willCheck() { throw error }
        return try base.foreignChangeToken()
    }

    var capabilities: StorageCapabilities { base.capabilities }
    var lastInsertedRowID: Int64 { base.lastInsertedRowID }
    var changesCount: Int { base.changesCount }
    var totalChangesCount: Int { base.totalChangesCount }
    var interrupter: any StorageInterrupter { base.interrupter }
    var isInTransaction: Bool { base.isInTransaction }

    func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        try base.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
    }

    func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        base.report(to: sink, interest: interest)
    }

    func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
        try base.table(name, in: schema)
    }

    func beginSnapshot() throws(StorageError) { try base.beginSnapshot() }
    func perform(_ command: TransactionCommand) throws(StorageError) { try base.perform(command) }
    func setReadOnly(_ isReadOnly: Bool) throws(StorageError) { try base.setReadOnly(isReadOnly) }
    func tables() throws(StorageError) -> [TableName] { try base.tables() }
    func releaseMemory() { base.releaseMemory() }
    func close() throws(StorageError) { try base.close() }
}
