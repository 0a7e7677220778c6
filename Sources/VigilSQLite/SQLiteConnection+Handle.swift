import VigilStorage

extension SQLiteConnection {
    /// Called after the program used the handle without the driver: discards what the driver knows of the
    /// connection.
    ///
    /// - Returns: whether a function behind `LIKE` or `GLOB` was replaced.
    package func didUseHandle() -> Bool {
        hasTemporary = true
        hasTemporaryTriggers = true
        hasAttached = true
        reporter.discardMetadata()
        recorder.begin()
        return didUsePatternFunctions()
    }
}
