import CVigilPostgres
import VigilStorage

/// A statement that the server has prepared. Its rows are buffered when it is run.
final class PostgresStatement: StorageStatement {
    private let connection: PostgresConnection
    private let text: PostgresSQL
    let access: StatementAccess
    /// The name of the prepared statement; empty for one that is prepared again if another took its place.
    private var name: String
    private var preparation: PostgresPreparation
    private var values: [StorageValue]
    private(set) var row: StorageRow
    private(set) var columnNames: [String]
    private var isFinalized = false
    /// The answer to the current run; `nil` while the statement is not running.
    private var result: PostgresResult?
    private var decoder: RowDecoder?
    private var rowIndex = 0
    /// The number of interrupts of the connection when the run began.
    private var interruptCount = 0

    init(connection: PostgresConnection, text: PostgresSQL, name: String, preparation: PostgresPreparation) {
        self.connection = connection
        self.text = text
        self.name = name
        self.preparation = preparation
        access = text.access
        values = Array(repeating: .null, count: text.parameterNames.count)
        columnNames = preparation.columnNames
        row = StorageRow(count: preparation.columnNames.count)
        connection.statementCount += 1
        if name.isEmpty { connection.unnamedStatement = self }
    }

    deinit { finalize() }

    func finalize() {
        guard !isFinalized else { return }
        isFinalized = true
        reset()
        connection.statementCount -= 1
        if !name.isEmpty, preparation.generation == connection.machine.generation {
            connection.releasedNames.append(name)
        }
    }

    var sql: String { text.text }
    var isReusable: Bool { text.isReusable }
    var deallocatesStatements: Bool { text.command == "DISCARD" || text.command == "DEALLOCATE" }
    var parameterCount: Int { text.parameterNames.count }

    func parameterName(at index: Int) -> String? {
        text.parameterNames.indices.contains(index - 1) ? text.parameterNames[index - 1] : nil
    }

    var expandedSQL: String {
        text.expanded(with: values)
    }

    // MARK: - Binding

    func bind(_ value: StorageValue, at index: Int) throws(StorageError) {
        guard !isFinalized else { throw finalizedError }
        guard values.indices.contains(index - 1) else {
            throw StorageError(.range, "the statement has no parameter \(index)", sql: sql)
        }
        guard result == nil else {
            throw StorageError(.misuse, "the statement is running: reset it before you bind values", sql: sql)
        }
        values[index - 1] = value
    }

    func clearBindings() {
        guard result == nil else { return }
        for index in values.indices { values[index] = .null }
    }

    private var finalizedError: StorageError { StorageError(.misuse, "the statement is finalized", sql: sql) }

    // MARK: - Running

    func step() throws(StorageError) -> Bool {
        guard !isFinalized else { throw finalizedError }
        if result == nil {
            interruptCount = connection.canceller.count
            try start()
        } else if interruptCount != connection.canceller.count {
            reset()
            throw StorageError(.interrupt, "interrupted", sql: sql)
        }
        guard let result, rowIndex < result.rowCount else {
            reset()
            return false
        }
        decoder?.decode(result, row: rowIndex, into: row.cells)
        rowIndex += 1
        return true
    }

    func reset() {
        result = nil
        decoder = nil
        rowIndex = 0
    }

    private func start() throws(StorageError) {
        let answer = try connection.run(self, effect: access.transactionEffect, isReadOnly: access.isReadOnly)
        guard let answer else { return }
        let names = answer.columnNames
        if names != columnNames {
            columnNames = names
            row = StorageRow(count: names.count)
        }
        connection.addToDigest(answer, of: text, names)
        result = answer
        decoder = RowDecoder(answer)
    }

    /// Sends the bound values to the server, and returns its answer. Prepares the text again if necessary.
    func execute() throws(StorageError) -> PostgresResult {
        try connection.repeatingAfterLoss(isRepeatable: false) { () throws(StorageError) in
            if !isPrepared { try prepareAgain() }
            do throws(StorageError) {
                return try executePrepared()
            } catch {
                guard isOutdated(error) else { throw error }
                abandonPreparation()
                guard !connection.isInFailedTransaction else { throw error }
                try prepareAgain()
                return try executePrepared()
            }
        }
    }

    /// Returns whether the statement was deallocated, or the columns of its tables have changed.
    private func isOutdated(_ error: StorageError) -> Bool {
        error.sqlState == SQLState.invalidStatementName.text
            || error.sqlState == SQLState.featureNotSupported.text && text.isReusable
    }

    private var isPrepared: Bool {
        preparation.generation == connection.machine.generation
            && (!name.isEmpty || connection.unnamedStatement === self)
    }

    private func abandonPreparation() {
        preparation.generation = -1
        guard !name.isEmpty else { return }
        connection.releasedNames.append(name)
        name = connection.newStatementName()
    }

    private func prepareAgain() throws(StorageError) {
        preparation = try connection.prepareOnServer(text, name: name)
        if name.isEmpty { connection.unnamedStatement = self }
    }

    private func executePrepared() throws(StorageError) -> PostgresResult {
        var parameters = EncodedParameters()
        for (position, index) in text.serverParameters.enumerated() {
            let type =
                preparation.parameterTypes.indices.contains(position)
                ? preparation.parameterTypes[position] : 0
            parameters.append(try EncodedParameter(values[index - 1], type: type))
        }
        let (api, name) = (connection.api, name)
        do throws(StorageError) {
            return try connection.send(sql: sql) { handle in
                parameters.withPointers { count, values, lengths, formats in
                    api.pointee.execPrepared(handle, name, count, values, lengths, formats, 0)
                }
            }
        } catch {
            throw error.withoutValues(values)
        }
    }
}

/// The types and names that the server reported when it prepared a statement.
struct PostgresPreparation: Equatable {
    var parameterTypes: [UInt32]
    var columnNames: [String]
    /// The ``ConnectionMachine/generation`` of the connection to the server that has prepared the statement; -1 if the
    /// statement must be prepared again.
    var generation: Int
}

extension StorageError {
    /// The error, with a placeholder for each bound value that the message quotes.
    func withoutValues(_ values: [StorageValue]) -> StorageError {
        var error = self
        for value in values {
            let text: String
            switch value {
            case .null, .blob: continue
            case .integer(let integer): text = String(integer)
            case .real(let real): text = real.description
            case .text(let string): text = string
            }
            guard !text.isEmpty else { continue }
            error.message = error.message.replacing("\"\(text)\"", with: "\"…\"")
        }
        return error
    }
}
