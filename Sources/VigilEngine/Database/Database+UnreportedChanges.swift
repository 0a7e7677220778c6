package import VigilRegions
import VigilStorage

extension Database {
    /// Runs `body`, which uses the connection in ways that Vigil cannot observe. Everything that it may have
    /// changed is reported as changed.
    ///
    /// In a read-only access, `body` is trusted not to write, unless rows were changed. Otherwise, an
    /// observation that calls this method in its fetch would make itself stale endlessly.
    ///
    /// - Parameter doubtfulConditions: returns, after `body`, the conditions that it may have given another
    ///   meaning; `nil` if each query still returns the same.
    /// - Throws: the error of `body`; the error of an observer preventing a commit.
    package func withUnreportedChanges<T>(
        _ body: () throws -> T, doubtfulConditions: () -> DoubtfulConditions?
    ) throws -> T {
        checkConfinement()
        let changesBefore = totalChangesCount
        // `body` may replace functions, and run texts that call them.
        removeCachedStatements()
        let result = Result { try body() }
        // The reads of `body` are not known either.
        recordUnknownReads()
        schemaDidChange()
        // Without a write access, the observers do not fetch.
        if !activity.isReadOnly { foreignChanges.databasesDidChange?(self) }
        updateTransaction()
        let isChange = !activity.isReadOnly || totalChangesCount != changesBefore
        if let conditions = doubtfulConditions() { meaningsDidChange(conditions, isReported: isChange) }
        if isChange { try contentDidChangeUnreported() }
        return try result.get()
    }

    private func contentDidChangeUnreported() throws {
        guard let coordinator else { return didChangeDatabases() }
        guard reportsStatements else { return }
        try outsideTransactionBlocks {
            coordinator.didChange(.database)
            try coordinator.statementDidEnd(effect: nil, failed: false, self)
        }
    }
}
