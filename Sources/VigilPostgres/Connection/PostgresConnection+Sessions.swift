package import VigilStorage

/// The preparation of sessions by the program.
struct SessionPreparation {
    /// Prepares a session before anything else uses it.
    var prepare: (() throws(StorageError) -> Void)?
    var isRunning = false
}

extension PostgresConnection {
    package func prepareSessions(_ prepare: @escaping () throws(StorageError) -> Void) throws(StorageError) {
        guard channel != nil else { throw Self.closedError }
        preparation.prepare = prepare
        try runPreparation()
    }

    /// Prepares the current session. Its statements must all run in the same session, so the loss of the
    /// session fails the preparation.
    func runPreparation() throws(StorageError) {
        guard let prepare = preparation.prepare, !preparation.isRunning else { return }
        preparation.isRunning = true
        defer { preparation.isRunning = false }
        try prepare()
        guard let channel, try makeReady(for: .statement) else { return }
        session.adoptTimeZone(of: channel)
        let answers = try run(session.settings + "SELECT current_schema()")
        session.mainSchema = answers.last?.text(row: 0, column: 0) ?? session.mainSchema
        session.hasChangedSettings = false
    }

    /// Restores the driver's formats of values, and the time zone chosen by the preparation of the session,
    /// if the program may have changed them.
    func restoreSettings() throws(StorageError) {
        guard let channel, machine.isConnected, !isInTransaction,
            session.hasChangedSettings || !session.matchesSettings(channel)
        else { return }
        try run(session.settings, isRepeatable: true)
        session.hasChangedSettings = false
    }

    /// Checks that a command outside of a transaction will run in the prepared session.
    func checkSession() throws(StorageError) {
        guard session.isPooled, !isInTransaction, machine.isConnected else { return }
        try checkSession(run(PostgresSession.processQuestion, isRepeatable: true).last)
    }

    /// Checks that the open transaction, with the process number of `answer`, runs in the prepared session.
    func checkSession(_ answer: PostgresResult?) throws(StorageError) {
        guard session.isPooled, answer?.text(row: 0, column: 0) != session.process else { return }
        if isInTransaction { try? rollBack() }
        throw PostgresSession.poolerError
    }

    /// Checks that the session has the encoding of the texts that the driver sends and reads. The commands of
    /// the session can set it again.
    func checkEncoding(for text: PostgresSQL) throws(StorageError) {
        guard machine.isConnected, let channel, let encoding = channel.setting("client_encoding"),
            !["UTF8", "UNICODE"].contains(encoding)
        else { return }
        // Then the server converts nothing.
        if encoding == "SQL_ASCII", channel.setting("server_encoding") == "UTF8" { return }
        let access = text.access
        guard access.transactionEffect == nil, access.readsUnknown else { return }
        throw StorageError(
            .error, "text cannot be exchanged while client_encoding is \(encoding): set it to UTF8",
            sql: text.text)
    }

    /// Checks that the session writes values in the driver's formats.
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
