import CVigilPostgres
package import VigilStorage

extension PostgresConnection {
    /// Prepares the connection for a command: replaces a lost connection.
    ///
    /// - Returns: `false` if the command has succeeded already.
    func makeReady(for command: ConnectionMachine.Command) throws(StorageError) -> Bool {
        switch machine.willRun(command) {
        case .run: return true
        case .succeed: return false
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

    /// Sends a command to the server, and returns its answer.
    ///
    /// - Parameters:
    ///   - command: what the command means for the transaction.
    ///   - isRepeatable: whether the command can be sent again if the connection is lost: it has no effect that
    ///     outlives the connection.
    ///   - sql: the text for errors.
    ///   - send: calls a function of libpq.
    func send(
        _ command: ConnectionMachine.Command = .statement, isRepeatable: Bool = false, sql: String? = nil,
        _ send: (OpaquePointer) -> OpaquePointer?
    ) throws(StorageError) -> PostgresResult {
        for _ in 1..<Self.maximumAttemptCount where isRepeatable && !isInTransaction {
            do throws(StorageError) {
                return try sendOnce(command, sql: sql, send)
            } catch {
                guard error.code == .connectionLost, try makeReady(for: command) else { throw error }
            }
        }
        return try sendOnce(command, sql: sql, send)
    }

    /// The number of connections on which a command is tried that can be repeated.
    private static let maximumAttemptCount = 5

    private func sendOnce(
        _ command: ConnectionMachine.Command, sql: String?, _ send: (OpaquePointer) -> OpaquePointer?
    ) throws(StorageError) -> PostgresResult {
        guard let handle else { throw Self.closedError }
        let wasInTransaction = isInTransaction
        let answer =
            command == .rollback ? send(handle) : canceller.whileRunning { send(handle) }
        let result = answer.map { PostgresResult($0, api: api) }
        // The server may have announced the end of the session, and libpq not have noticed it yet.
        guard api.pointee.status(handle) == PostgresConnectionStatus.ok, result?.endsSession != true else {
            machine.didLose(during: command, wasInTransaction: wasInTransaction)
            throw lostError(result, during: command, sql: sql)
        }
        guard let result else { throw StorageError(.ioError, lastMessage, sql: sql) }
        guard !result.isError else {
            recoverSnapshot()
            throw error(of: result, sql: sql)
        }
        return result
    }

    private func lostError(_ result: PostgresResult?, during command: ConnectionMachine.Command, sql: String?)
        -> StorageError
    {
        let state = result?.errorField(PostgresErrorField.sqlState)
        let reason = result?.errorField(PostgresErrorField.primaryMessage) ?? lastMessage
        let outcome =
            command == .commit ? "; it is not known whether the transaction was committed" : ""
        var error = StorageError(
            .connectionLost,
            secrets.removed(from: "the connection to the server was lost: \(reason)") + outcome,
            sql: sql)
        error.sqlState = state
        return error
    }

    func error(of result: PostgresResult, sql: String?) -> StorageError {
        switch result.status {
        case PostgresResultStatus.copyIn, PostgresResultStatus.copyOut, PostgresResultStatus.copyBoth:
            return StorageError(.error, "COPY from or to the client is not supported", sql: sql)
        default: break
        }
        let state = result.errorField(PostgresErrorField.sqlState)
        let message = result.errorField(PostgresErrorField.primaryMessage) ?? result.message.trimmedLines
        var error = StorageError(
            state.map { SQLState($0).code } ?? .error, secrets.removed(from: message), sql: sql)
        error.sqlState = state
        return error
    }

    /// Runs SQL of the driver that may consist of several statements, and returns the answer to the last one.
    @discardableResult
    func run(
        _ sql: String, _ command: ConnectionMachine.Command = .statement, isRepeatable: Bool = false
    ) throws(StorageError) -> PostgresResult {
        try sql.checkForNullCharacterInSQL()
        guard try makeReady(for: command) else { throw Self.closedError }
        let api = api
        return try send(command, isRepeatable: isRepeatable, sql: sql) { api.pointee.exec($0, sql) }
    }

    /// Runs a query of the driver, which stays prepared, and returns its rows as text.
    func query(_ sql: String, _ values: [String?] = []) throws(StorageError) -> [[String?]] {
        var parameters = EncodedParameters()
        for value in values { parameters.append(value.map { .text($0) } ?? .null) }
        let result = try repeatingAfterLoss(isRepeatable: true) { () throws(StorageError) in
            try runQuery(sql, parameters)
        }
        return (0..<result.rowCount).map { row in
            (0..<result.columnCount).map { result.text(row: row, column: $0) }
        }
    }

    /// Runs `body`, and repeats it if the connection is lost while nothing depends on it: before the first statement of
    /// a snapshot, which is taken again, or outside of a transaction.
    ///
    /// - Parameter isRepeatable: whether `body` can be repeated outside of a transaction.
    func repeatingAfterLoss<Result>(isRepeatable: Bool, _ body: () throws(StorageError) -> Result)
        throws(StorageError) -> Result
    {
        for _ in 1..<Self.maximumAttemptCount {
            do throws(StorageError) {
                return try body()
            } catch {
                guard error.code == .connectionLost, !isUnreachable,
                    isInTransaction ? isUnusedSnapshot : isRepeatable,
                    try isBeforeFirstStatement()
                else { throw error }
            }
        }
        return try body()
    }

    private func runQuery(_ sql: String, _ parameters: EncodedParameters) throws(StorageError)
        -> PostgresResult
    {
        guard try makeReady(for: .statement) else { throw Self.closedError }
        let api = api
        let name: String
        if let known = queryNames[sql] {
            name = known
        } else {
            name = newStatementName()
            _ = try send(sql: sql) { api.pointee.prepare($0, name, sql, 0, nil) }
            queryNames[sql] = name
        }
        return try send(sql: sql) { handle in
            parameters.withPointers { count, values, lengths, formats in
                api.pointee.execPrepared(handle, name, count, values, lengths, formats, 0)
            }
        }
    }

    package func foreignChangeToken() throws(StorageError) -> Int64? {
        if let number = token.transactionNumber, isInTransaction { return number }
        return token.number(of: try stateText())
    }

    /// Returns the text that differs after each commit.
    func stateText() throws(StorageError) -> String {
        let row = try query(ChangeTokenSource.sql).first ?? ["", nil]
        session.isStandby = row[1] == "t"
        return row[0] ?? ""
    }
}
