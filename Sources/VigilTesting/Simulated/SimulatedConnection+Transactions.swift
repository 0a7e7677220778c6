import VigilStorage

extension SimulatedConnection {
    func perform(_ command: TransactionCommand) throws(StorageError) {
        try requireOpen()
        interruptions.beginRun()
        defer { interruptions.endRun() }
        try run(command)
    }

    func beginSnapshot() throws(StorageError) {
        try perform(.beginDeferred)
        do {
            _ = try beginReading()
        } catch {
            try? perform(.rollback)
            throw error
        }
    }

    func run(_ command: TransactionCommand) throws(StorageError) {
        switch command {
        case .beginDeferred, .beginImmediate, .beginExclusive:
            try begin(command)
        case .commit:
            guard transaction.isExplicit else {
                throw StorageError(.error, "cannot commit - no transaction is active")
            }
            try commit()
        case .rollback:
            guard transaction.isExplicit else {
                throw StorageError(.error, "cannot rollback - no transaction is active")
            }
            rollBack()
        case .savepoint(let name):
            transaction.addSavepoint(name)
        case .release(let name):
            if try transaction.releasingCommits(name) {
                try commit()
            } else {
                try transaction.release(name)
            }
        case .rollbackTo(let name):
            try transaction.rollBack(to: name)
        }
    }

    private func begin(_ command: TransactionCommand) throws(StorageError) {
        if transaction.isExplicit {
            throw StorageError(.error, "cannot start a transaction within a transaction")
        }
        // As in SQLite, a read-only connection begins a deferred transaction instead.
        if command != .beginDeferred, options.access != .readOnly {
            if isQueryOnly { throw Self.readOnlyError }
            _ = try beginWriting()
            do throws(StorageError) {
                if command == .beginExclusive, !capabilities.allowsConcurrentReaders { try excludeReaders() }
            } catch {
                endTransaction(keeping: transaction.base)
                throw error
            }
        }
        transaction.opening = .begin
    }

    // MARK: Locks

    /// Returns the state to read, and begins a snapshot if the transaction has none. Apart from its own
    /// changes, the state stays the same until it ends.
    func beginReading() throws(StorageError) -> SimulatedState {
        if let state = transaction.state { return state }
        let state = try whenNotBusy { store.beginReading(number) }
        transaction.read(state)
        return state
    }

    /// Returns the state to write to, after acquiring the write lock if the transaction does not hold it.
    func beginWriting() throws(StorageError) -> SimulatedState {
        if transaction.isWriting, let state = transaction.state { return state }
        if let state = transaction.state, let base = transaction.base {
            try beginWriting(insteadOfReading: base)
            return state
        }
        let state = try whenNotBusy { () -> SimulatedState? in
            guard !faults.passLock() else { return nil }
            let grant = store.beginWriting(number, readingCommit: nil)
            if case .granted(let state) = grant { return state }
            return nil
        }
        transaction.read(state)
        transaction.isWriting = true
        return state
    }

    /// Acquires the write lock in a transaction after a read. As in SQLite, the busy handler is not called:
    /// two readers waiting for the write lock would deadlock.
    private func beginWriting(insteadOfReading base: SimulatedState) throws(StorageError) {
        guard !faults.passLock() else { throw Self.busyError }
        switch store.beginWriting(number, readingCommit: base.commitNumber) {
        case .granted: transaction.isWriting = true
        case .busy: throw Self.busyError
        case .stale: throw StorageError(.staleSnapshot, "database is locked")
        }
    }

    private func excludeReaders() throws(StorageError) {
        try whenNotBusy { store.beginExclusion(number) ? () : nil }
    }

    /// Repeats the attempt until it returns a value, as long as the busy handler permits it.
    private func whenNotBusy<Answer>(_ attempt: () -> Answer?) throws(StorageError) -> Answer {
        var attempts = 0
        while true {
            if let answer = attempt() { return answer }
            guard let busyHandler = options.busyHandler, busyHandler(attempts) else { throw Self.busyError }
            attempts += 1
            try interruptions.check()
        }
    }

    // MARK: Writing

    /// Applies a change to the database, completely or not at all, and commits it outside of explicit
    /// transactions.
    func write(_ change: (inout SimulatedState) throws(StorageError) -> Void) throws(StorageError) {
        guard options.access != .readOnly, !isQueryOnly else { throw Self.readOnlyError }
        do throws(StorageError) {
            var state = try beginWriting()
            try interruptions.check()
            try change(&state)
            transaction.state = state
        } catch {
            didFailToWrite(error)
            throw error
        }
        if !transaction.isExplicit { try commitStatement() }
    }

    /// Handles a failed change, before it modifies the transaction's state. Some errors end the transaction.
    private func didFailToWrite(_ error: StorageError) {
        didChangeRows(0)
        let endsTransaction = [.full, .interrupt].contains(error.code.primary)
        if endsTransaction || !transaction.isExplicit { rollBack() }
    }

    /// Commits a statement outside of an explicit transaction, and rolls it back after a failure.
    private func commitStatement() throws(StorageError) {
        do throws(StorageError) {
            try commit()
        } catch {
            if transaction.isWriting { rollBack() }
            throw error
        }
    }

    // MARK: Commit and rollback

    private func commit() throws(StorageError) {
        guard transaction.isWriting, let state = transaction.state else {
            return endTransaction(keeping: transaction.base)
        }
        if !capabilities.allowsConcurrentReaders, transaction.isChanged { try excludeReaders() }
        guard reporter.willCommit() else {
            rollBack()
            throw StorageError(.commitHookConstraint, "constraint failed")
        }
        if let (error, rollsBack) = faults.passCommit() {
            if rollsBack { rollBack() }
            throw error
        }
        let isChanged = transaction.isChanged
        if isChanged { ownCommits += 1 }
        guard isChanged else { return endTransaction(keeping: state) }
        let feeds = store.feeds
        if !feeds.isEmpty {
            let previous = store.state
            let changes = SimulatedFeedChange.changes(from: previous, to: state)
            for feed in feeds { feed.didDecode(previous.commitNumber + 1, changes) }
        }
        let committed = store.commit(state)
        for feed in feeds { feed.becameVisible(committed.commitNumber) }
        endTransaction(keeping: committed)
        store.sendHints()
    }

    /// Rolls back the transaction, and reports it if the transaction held the write lock.
    func rollBack() {
        let wasWriting = transaction.isWriting
        endTransaction(keeping: transaction.base)
        if wasWriting { reporter.didRollback() }
    }

    /// Rolls back the transaction after an I/O error of a step.
    func didFailToStep() {
        if transaction.isExplicit || transaction.isWriting { rollBack() }
    }

    static var readOnlyError: StorageError {
        StorageError(.readOnly, "attempt to write a readonly database")
    }

    private static var busyError: StorageError { StorageError(.busy, "database is locked") }
}
