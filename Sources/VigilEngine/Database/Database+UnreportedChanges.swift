import VigilStorage

extension Database {
    /// Runs `body`, which uses the connection in ways that Vigil cannot observe. Everything that it may have changed
    /// is reported as changed.
    ///
    /// In a read-only access, `body` is trusted not to write, unless rows were changed. Otherwise, an observation whose
    /// fetch calls this method would make itself stale endlessly.
    ///
    /// - Parameter hasChangedPatterns: returns, after `body`, whether the functions behind `LIKE` or `GLOB` were
    ///   replaced.
    /// - Throws: the error of `body`; the error with which an observer prevented a commit.
    package func withUnreportedChanges<T>(
        _ body: () throws -> T, hasChangedPatterns: () -> Bool
    ) throws -> T {
        checkConfinement()
        let changesBefore = totalChangesCount
        // `body` may replace functions, and run texts that call them.
        removeCachedStatements()
        let result = Result { try body() }
        // The reads of `body` are not known either.
        record(.fullDatabase)
        schemaDidChange()
        noteTransaction()
        if hasChangedPatterns() { patternsDidChange() }
        if !activity.isReadOnly || totalChangesCount != changesBefore { try contentDidChangeUnreported() }
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
