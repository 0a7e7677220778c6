import CVigilPostgres
package import VigilStorage

extension PostgresConnection {
    /// Prepares the connection for a command: replaces a lost connection.
    ///
    /// - Returns: `false` if the command has succeeded already.
    func makeReady(for command: ConnectionMachine.Command) throws(StorageError) -> Bool {
        settle()
        switch machine.willRun(command) {
        case .run: return true
        case .succeed: return false
        case .reconnect where preparation.isRunning:
            throw StorageError(
                .connectionLost, "the connection to the server was lost while the session was prepared")
        case .reconnect:
            try reconnect()
            return true
        case .fail(.closed): throw Self.closedError
        case .fail(.transactionLost):
            throw StorageError(
                .connectionLost,
                "the connection to the server was lost, and the open transaction was rolled back")
        }
    }

    /// Receives what the server has left to answer, because another command will be sent.
    private func settle() {
        stream?.keepRest()
        streamDidAdvance()
        guard isEnding, let channel else { return }
        isEnding = false
        channel.finish(timeout: timeouts.transaction)
        checkForLoss(during: .commit, wasInTransaction: false)
    }

    /// Records the loss of the session, if it is lost.
    private func checkForLoss(during command: ConnectionMachine.Command, wasInTransaction: Bool) {
        guard channel?.isConnected == false else { return }
        machine.didLose(during: command, wasInTransaction: wasInTransaction)
    }

    /// Sends a command to the server, and returns the answers to its statements.
    ///
    /// - Parameters:
    ///   - command: what the command means for the transaction.
    ///   - isRepeatable: whether the command can be sent again after a loss of the connection, because none
    ///     of its effects outlive the connection.
    ///   - sql: the text for errors.
    ///   - send: calls a function of libpq.
    func send(
        _ command: ConnectionMachine.Command = .statement, isRepeatable: Bool = false, sql: String? = nil,
        _ send: (ServerChannel) -> [PostgresResult]
    ) throws(StorageError) -> [PostgresResult] {
        var retries = Retries.command
        let isRepeatable = isRepeatable && !isInTransaction
        while true {
            do throws(StorageError) {
                return try sendOnce(command, sql: sql, send)
            } catch {
                retries.didFail()
                guard isRepeatable, error.code == .connectionLost, !retries.isExhausted,
                    try makeReady(for: command)
                else { throw error }
            }
        }
    }

    private func sendOnce(
        _ command: ConnectionMachine.Command, sql: String?, _ send: (ServerChannel) -> [PostgresResult]
    ) throws(StorageError) -> [PostgresResult] {
        settle()
        guard let channel else { throw Self.closedError }
        let wasInTransaction = isInTransaction
        let interruptCount = canceller.count
        let results = send(channel)
        try check(
            results.last, during: command, wasInTransaction: wasInTransaction, sql: sql,
            isInterrupted: interruptCount != canceller.count)
        return results
    }

    /// Checks the last answer to a command.
    ///
    /// - Parameter isInterrupted: whether the connection was interrupted during the command.
    func check(
        _ result: PostgresResult?, during command: ConnectionMachine.Command, wasInTransaction: Bool,
        sql: String?, isInterrupted: Bool
    ) throws(StorageError) {
        guard let channel else { throw Self.closedError }
        // The server may have announced the end of the session, and libpq not have noticed it yet.
        guard channel.isConnected, result?.endsSession != true else {
            machine.didLose(during: command, wasInTransaction: wasInTransaction)
            throw lostError(result, during: command, sql: sql)
        }
        guard let result else { throw StorageError(.ioError, lastMessage, sql: sql) }
        guard result.isError else { return }
        recoverSnapshot()
        throw error(of: result, sql: sql, isInterrupted: isInterrupted)
    }

    func lostError(_ result: PostgresResult?, during command: ConnectionMachine.Command, sql: String?)
        -> StorageError
    {
        switch channel?.failure {
        // An interrupted commit may have succeeded.
        case .interrupted where command != .commit:
            return StorageError(.interrupt, "interrupted: the server does not answer", sql: sql)
        case .outOfStep where result?.isError == true && result?.status != PostgresResultStatus.fatalError:
            return StorageError(.error, "COPY from or to the client is not supported", sql: sql)
        default: break
        }
        let state = result?.errorField(PostgresErrorField.sqlState)
        let reason =
            switch channel?.failure {
            case .noAnswer, .interrupted: "the server does not answer"
            case .outOfStep: "the server has answered something else than was asked"
            case nil: result?.errorField(PostgresErrorField.primaryMessage) ?? lastMessage
            }
        let outcome =
            command == .commit ? "; it is not known whether the transaction was committed" : ""
        var error = StorageError(
            .connectionLost,
            secrets.removed(from: "the connection to the server was lost: \(reason)") + outcome,
            sql: sql)
        error.sqlState = state
        return error
    }

    /// Returns the error behind an early end of the rows.
    func error(ending rows: ResultStream, sql: String, isInterrupted: Bool) -> StorageError {
        guard !rows.isLost, let failure = rows.failure else {
            return lostError(rows.failure, during: .statement, sql: sql)
        }
        return error(of: failure, sql: sql, isInterrupted: isInterrupted)
    }

    func error(of result: PostgresResult, sql: String?, isInterrupted: Bool) -> StorageError {
        let state = result.errorField(PostgresErrorField.sqlState).map { SQLState($0) }
        let message = result.errorField(PostgresErrorField.primaryMessage) ?? result.message.trimmedLines
        var error = StorageError(state?.code ?? .error, secrets.removed(from: message), sql: sql)
        error.sqlState = state?.text
        // An administrator or a timeout has cancelled the statement, unless the program did.
        error.isTransient =
            state?.isTransient == true || (state == .queryCanceled && !isInterrupted)
        error.diagnostics = StorageDiagnostics(result)
        return error
    }

    /// Runs SQL of the driver, of one or more statements, and returns the answers to them.
    @discardableResult
    func run(
        _ sql: String, _ command: ConnectionMachine.Command = .statement, isRepeatable: Bool = false
    ) throws(StorageError) -> [PostgresResult] {
        try sql.checkForNullCharacterInSQL()
        guard try makeReady(for: command) else { throw Self.closedError }
        // The server forgets it.
        statements.unnamed = nil
        let timeout = command == .begin ? timeouts.transaction : nil
        return try send(command, isRepeatable: isRepeatable, sql: sql) { $0.run(sql, timeout: timeout) }
    }

    /// Runs a prepared query of the driver, and returns its rows as text.
    func query(_ sql: String, _ values: [String?] = []) throws(StorageError) -> [TextRow] {
        var parameters = EncodedParameters()
        for value in values { parameters.append(value.map { .text($0) } ?? .null) }
        return try repeatingAfterLoss(isRepeatable: true) { () throws(StorageError) in
            try runQuery(sql, parameters).textRows
        }
    }

    /// Returns the session of the open snapshot; `nil` without one. Asks the server after a statement that
    /// may have changed the session.
    func snapshotIdentity() -> SessionIdentity? {
        if let known = transaction.identity { return known }
        guard transaction.isSnapshot, machine.isConnected else { return nil }
        // The next statement reports a loss.
        let answer = try? runQuery("SELECT \(SessionIdentity.columns)", EncodedParameters())
        transaction.identity = SessionIdentity(answer, fromColumn: 0)
        return transaction.identity
    }

    /// Runs `body`, and repeats it if the connection is lost while nothing depends on it: before the first
    /// statement of a transaction, which is then begun again, or outside of a transaction.
    ///
    /// - Parameter isRepeatable: whether `body` can be repeated outside of a transaction.
    func repeatingAfterLoss<Result>(isRepeatable: Bool, _ body: () throws(StorageError) -> Result)
        throws(StorageError) -> Result
    {
        var retries = Retries.command
        while true {
            do throws(StorageError) {
                return try body()
            } catch {
                retries.didFail()
                guard error.code == .connectionLost, !isUnreachable, !retries.isExhausted,
                    transaction.unusedBeginning != nil || isRepeatable && !isInTransaction,
                    try isBeforeFirstStatement()
                else { throw error }
            }
        }
    }

    /// - Parameter isRepeated: whether the query was prepared again because it did not exist.
    private func runQuery(
        _ sql: String, _ parameters: EncodedParameters, isRepeated: Bool = false
    ) throws(StorageError) -> PostgresResult {
        guard try makeReady(for: .statement) else { throw Self.closedError }
        let api = api
        let query: (name: String, columnCount: Int)
        if let known = statements.queries[sql] {
            query = known
        } else {
            let name = statements.newName()
            let description = try send(sql: sql) { channel in [channel.prepare(name, sql)].compactMap { $0 } }
            query = (name, description.last?.columnCount ?? 0)
            statements.didPrepareQuery(sql, name: name, columnCount: query.columnCount)
        }
        let results: [PostgresResult]
        do throws(StorageError) {
            results = try send(sql: sql) { channel in
                channel.run { handle in
                    parameters.withPointers { count, values, lengths, formats in
                        api.pointee.sendQueryPrepared(
                            handle, query.name, count, values, lengths, formats, 0)
                    }
                }
            }
        } catch {
            guard error.sqlState == SQLState.invalidStatementName.text else { throw error }
            // A function of the database has deallocated it.
            statements.didDeallocate(query: sql)
            guard !isRepeated else { throw error }
            // The earlier statements of a failed transaction cannot be repeated.
            if isInFailedTransaction {
                guard try isBeforeFirstStatement() else { throw error }
            }
            return try runQuery(sql, parameters, isRepeated: true)
        }
        guard let result = results.last, result.columnCount == query.columnCount else {
            throw StorageError(.ioError, "the server has answered another query than this one", sql: sql)
        }
        return result
    }

    /// `nil`: the feed of the backend detects commits.
    package func foreignChangeToken() throws(StorageError) -> Int64? {
        guard channel != nil else { throw Self.closedError }
        return nil
    }
}

extension StorageDiagnostics {
    fileprivate init(_ result: PostgresResult) {
        self.init()
        hint = result.errorField(PostgresErrorField.hint)
        schemaName = result.errorField(PostgresErrorField.schemaName)
        tableName = result.errorField(PostgresErrorField.tableName)
        columnName = result.errorField(PostgresErrorField.columnName)
        typeName = result.errorField(PostgresErrorField.typeName)
        constraintName = result.errorField(PostgresErrorField.constraint)
    }
}
