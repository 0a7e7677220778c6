import VigilStorage

extension SQLiteConnection {
    /// Runs internal statements of the driver in `body`, neither recorded nor traced.
    ///
    /// - Parameters:
    ///   - recordsApart: whether `body` compiles statements, recorded apart from the current one.
    ///   - waitsForLocks: whether the busy handler is called. Without it, a lock of others is an error.
    func withInternalStatements<Result, Failure: Error>(
        recordsApart: Bool = false, waitsForLocks: Bool = true, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let wasInternal = runsInternalStatement
        let outerRecorder = recordsApart ? recorder : nil
        if recordsApart { recorder = AccessRecorder() }
        runsInternalStatement = true
        if !waitsForLocks { busyWaiter.isBypassed = true }
        defer {
            if !waitsForLocks { busyWaiter.isBypassed = false }
            runsInternalStatement = wasInternal
            if let outerRecorder { recorder = outerRecorder }
        }
        return try body()
    }
}
