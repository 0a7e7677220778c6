import VigilStorage

extension SQLiteConnection {
    /// Discards what the driver knows about the connection. Called after the program used the handle without the
    /// driver.
    ///
    /// - Returns: whether a function behind `LIKE` or `GLOB` was replaced.
    package func didUseHandle() -> Bool {
        hasTemporary = true
        hasTemporaryTriggers = true
        hasAttached = true
        functionRevision += 1
        reporter.discardMetadata()
        recorder.begin()
        return didUsePatternFunctions()
    }
}
