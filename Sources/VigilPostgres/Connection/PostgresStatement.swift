import CVigilPostgres
import VigilStorage

/// A statement prepared by the server.
final class PostgresStatement: StorageStatement {
    let connection: PostgresConnection
    let text: PostgresSQL
    /// The access without the reads.
    let textAccess: StatementAccess
    /// The reads of the statement, if they were determined and are still correct.
    var knownReads: KnownReads?
    /// The number of times that ``knownReads`` was set or found outdated.
    var readsRevision = 0
    /// The name of the prepared statement; empty for one to be prepared again if another took its place.
    private var name: String
    private(set) var preparation: PostgresPreparation
    private var values: [StorageValue]
    private(set) var row: StorageRow
    private(set) var columnNames: [String]
    private var isFinalized = false
    /// The rows of the current run; `nil` while the statement is not running.
    private var rows: ResultStream?
    private var decoder: RowDecoder?
    /// The current row. The cells of ``row`` borrow from it.
    private var received: ResultStream.Row?
    /// The number of interrupts of the connection when the run began.
    private var interruptCount = 0

    init(connection: PostgresConnection, text: PostgresSQL, name: String, preparation: PostgresPreparation) {
        self.connection = connection
        self.text = text
        self.name = name
        self.preparation = preparation
        textAccess = text.access
        values = Array(repeating: .null, count: text.parameterNames.count)
        columnNames = preparation.columnNames
        row = StorageRow(count: preparation.columnNames.count)
        connection.statementCount += 1
        if name.isEmpty { connection.statements.unnamed = self }
    }

    deinit { finalize() }

    func finalize() {
        guard !isFinalized else { return }
        isFinalized = true
        reset()
        connection.statementCount -= 1
        if !name.isEmpty, preparation.generation == connection.machine.generation {
            connection.statements.release(name)
        }
    }

    var sql: String { text.text }
    var isReusable: Bool { text.isReusable }
    var deallocatesStatements: Bool { text.command == "DISCARD" || text.command == "DEALLOCATE" }
    var changesSettings: Bool { text.changesSettings }
    var changesTransactionSettings: Bool { text.changesTransactionSettings }
    var runsQuery: Bool { text.runsQuery }
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
        guard rows == nil else {
            throw StorageError(.misuse, "the statement is running: reset it before you bind values", sql: sql)
        }
        values[index - 1] = value
    }

    func clearBindings() {
        guard rows == nil else { return }
        for index in values.indices { values[index] = .null }
    }

    private var finalizedError: StorageError { StorageError(.misuse, "the statement is finalized", sql: sql) }

    // MARK: - Running

    func step() throws(StorageError) -> Bool {
        guard !isFinalized else { throw finalizedError }
        if rows == nil {
            interruptCount = connection.canceller.count
            try start()
        } else if interruptCount != connection.canceller.count {
            reset()
            throw StorageError(.interrupt, "interrupted", sql: sql)
        }
        guard let rows else { return false }
        guard let row = rows.next() else {
            connection.streamDidAdvance()
            defer { reset() }
            guard rows.failure == nil, !rows.isLost else {
                throw connection.error(ending: rows, sql: sql, isInterrupted: isInterrupted)
                    .withoutValues(values)
            }
            connection.addEndToDigest()
            return false
        }
        connection.addToDigest(row, columnCount: rows.columnTypes.count)
        decoder?.decode(row, into: self.row.cells)
        received = row
        return true
    }

    private var isInterrupted: Bool { interruptCount != connection.canceller.count }

    func reset() {
        if let rows { connection.end(rows) }
        rows = nil
        decoder = nil
        received = nil
    }

    private func start() throws(StorageError) {
        let answer = try connection.run(
            self, effect: textAccess.transactionEffect, isReadOnly: textAccess.isReadOnly)
        guard let answer else { return }
        do throws(StorageError) {
            try connection.checkFormats(of: answer.columnTypes, sql: sql)
        } catch {
            connection.end(answer)
            throw error
        }
        let names = answer.columnNames
        if names != columnNames {
            columnNames = names
            row = StorageRow(count: names.count)
        }
        connection.addToDigest(answer, of: text)
        rows = answer
        decoder = RowDecoder(types: answer.columnTypes)
    }

    /// Sends the bound values to the server, and returns its rows. Prepares the text again if necessary.
    func execute() throws(StorageError) -> ResultStream {
        try connection.repeatingAfterLoss(isRepeatable: false) { () throws(StorageError) in
            guard isPrepared else {
                if preparation.generation == connection.machine.generation { abandonPreparation() }
                try prepareAgain()
                return try executePrepared()
            }
            do throws(StorageError) {
                return try executePrepared()
            } catch {
                guard mayBeOutdated(error) else { throw error }
                let known = preparation
                abandonPreparation()
                // The earlier statements of a failed transaction cannot be repeated.
                if connection.isInFailedTransaction {
                    guard try connection.isBeforeFirstStatement() else { throw error }
                }
                try prepareAgain()
                guard isOutdated(error) || preparation.parameterTypes != known.parameterTypes else {
                    throw error
                }
                return try executePrepared()
            }
        }
    }

    /// Returns whether the statement was deallocated, or the columns of its tables have changed.
    private func isOutdated(_ error: StorageError) -> Bool {
        error.sqlState == SQLState.invalidStatementName.text
            || error.sqlState == SQLState.featureNotSupported.text && text.isReusable
    }

    /// Returns whether the statement may be outdated: the server keeps the types of parameters, and a value
    /// may not fit them any more after the columns have changed.
    private func mayBeOutdated(_ error: StorageError) -> Bool {
        isOutdated(error) || !values.isEmpty && SQLState.typeErrors.contains(error.sqlState ?? "")
    }

    /// Whether the server has prepared the text with the current catalog, as far as the feed knows. The
    /// server does not notice a new table earlier in the search path, or a better fitting function.
    private var isPrepared: Bool {
        preparation.generation == connection.machine.generation
            && preparation.catalogVersion == connection.catalogVersionOfFeed
            && (!name.isEmpty || connection.statements.unnamed === self)
    }

    private func abandonPreparation() {
        preparation.generation = -1
        guard !name.isEmpty else { return }
        connection.statements.release(name)
        name = connection.statements.newName()
    }

    private func prepareAgain() throws(StorageError) {
        let known = preparation.parameterTypes
        preparation = try connection.prepareOnServer(text, name: name)
        if preparation.parameterTypes != known { discardReads() }
        if name.isEmpty { connection.statements.unnamed = self }
    }

    private func executePrepared() throws(StorageError) -> ResultStream {
        var parameters = EncodedParameters()
        for (position, index) in text.serverParameters.enumerated() {
            var type =
                preparation.parameterTypes.indices.contains(position)
                ? preparation.parameterTypes[position] : 0
            switch values[index - 1] {
            case .null, .integer: break
            case .real, .text, .blob: type = try connection.baseType(of: type)
            }
            parameters.append(try EncodedParameter(values[index - 1], type: type))
        }
        do throws(StorageError) {
            return try connection.execute(self, name: name, parameters)
        } catch {
            throw error.withoutValues(values)
        }
    }
}

/// The types and names reported by the server when it prepared a statement.
struct PostgresPreparation: Equatable {
    var parameterTypes: [UInt32]
    var columnNames: [String]
    /// The ``ConnectionMachine/generation`` of the connection on which the statement was prepared; -1 if the
    /// statement must be prepared again.
    var generation: Int
    /// The ``PostgresConnection/catalogVersionOfFeed`` before the statement was prepared.
    var catalogVersion: Int?
}
