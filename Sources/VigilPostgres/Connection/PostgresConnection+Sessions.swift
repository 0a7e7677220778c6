package import VigilStorage

extension PostgresConnection: SessionPreparing {
    package func prepareSessions(_ prepare: @escaping () throws(StorageError) -> Void) throws(StorageError) {
        guard channel != nil else { throw Self.closedError }
        prepareSession = prepare
        try runPreparation()
    }

    /// Prepares the current session. If that session is lost meanwhile, the preparation fails: its statements must all run
    /// in the same session.
    func runPreparation() throws(StorageError) {
        guard let prepareSession, !isPreparing else { return }
        isPreparing = true
        defer { isPreparing = false }
        try prepareSession()
        guard let channel, try makeReady(for: .statement) else { return }
        session.noteTimeZone(channel)
        let answers = try run(session.settings + "SELECT current_schema()")
        session.mainSchema = answers.last?.text(row: 0, column: 0) ?? session.mainSchema
        hasChangedSettings = false
    }

    /// Sets the formats in which values are exchanged again, and the time zone that the program has chosen while it prepared the
    /// session, if the program may have changed them.
    func restoreSettings() throws(StorageError) {
        guard let channel, machine.isConnected, !isInTransaction,
            hasChangedSettings || !session.matchesSettings(channel)
        else { return }
        try run(session.settings, isRepeatable: true)
        hasChangedSettings = false
    }

    /// Checks that a command outside of a transaction will run in the session that was set up.
    func checkSession() throws(StorageError) {
        guard session.isPooled, !isInTransaction, machine.isConnected else { return }
        try checkSession(run(PostgresSession.processQuestion, isRepeatable: true).last)
    }

    /// Checks that the open transaction runs in the session that was set up.
    ///
    /// - Parameter answer: the number of the process that runs it.
    func checkSession(_ answer: PostgresResult?) throws(StorageError) {
        guard session.isPooled, answer?.text(row: 0, column: 0) != session.process else { return }
        if isInTransaction { try? rollBack() }
        throw PostgresSession.poolerError
    }

    /// Checks that the session writes values in the formats that the driver reads.
    func checkFormats(of types: [UInt32], sql: String) throws(StorageError) {
        guard let channel, types.contains(where: PostgresType.dependsOnDateStyle),
            let style = channel.setting("DateStyle"), !style.hasPrefix("ISO")
        else { return }
        throw StorageError(
            .error,
            "dates cannot be read while DateStyle is \(style): cast them to text, or set DateStyle to ISO",
            sql: sql)
    }
}
