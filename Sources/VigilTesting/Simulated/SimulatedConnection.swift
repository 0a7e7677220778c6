import VigilStorage

/// A connection to a simulated database.
final class SimulatedConnection: StorageConnection {
    let capabilities: StorageCapabilities
    let store: SimulatedStore
    let faults: SimulatedFaults
    let reporter: SimulatedChangeReporter
    let interruptions = SimulatedInterrupter()
    /// The number of the connection in the store.
    let number: Int
    let options: StorageOptions
    private let location: StorageLocation
    private let disk: SimulatedDisk

    var transaction = SimulatedTransaction()
    private var runningReads = 0
    private var unfinalizedStatements = 0
    var ownCommits: Int64 = 0
    private(set) var isQueryOnly = false
    private(set) var isClosed = false
    var lastInsertedRowID: Int64 = 0
    private(set) var changesCount = 0
    private(set) var totalChangesCount = 0

    init(
        _ backend: SimulatedBackend, _ opened: (store: SimulatedStore, connection: Int),
        at location: StorageLocation, options: StorageOptions
    ) {
        capabilities = backend.capabilities
        faults = backend.faults
        disk = backend.disk
        store = opened.store
        number = opened.connection
        reporter = SimulatedChangeReporter(backend.capabilities)
        self.location = location
        self.options = options
    }

    deinit {
        if !isClosed { unregister() }
    }

    var interrupter: any StorageInterrupter { interruptions }

    func requireOpen() throws(StorageError) {
        if isClosed { throw StorageError(.misuse, "the connection is closed") }
    }

    // MARK: Statements

    func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        try requireOpen()
        if offset == 0 { try sql.checkForNullCharacterInSQL() }
        let source = Array(sql.utf8)
        var tokenizer = SQLTokenizer(sql, from: offset)
        do throws(StorageError) {
            let tokens = try tokenizer.nextStatement()
            if tokens.isEmpty {
                return StoragePreparation(statement: nil, endUTF8Offset: tokenizer.position)
            }
            let parsed = try SimulatedStatement(tokens, of: source, on: self)
            unfinalizedStatements += 1
            return StoragePreparation(statement: parsed, endUTF8Offset: tokenizer.position)
        } catch {
            var error = error
            let start = min(max(offset, 0), source.count)
            let end = max(start, tokenizer.position)
            error.sql = String(decoding: source[start..<end], as: UTF8.self)
            throw error
        }
    }

    func didFinalizeStatement() {
        unfinalizedStatements -= 1
    }

    func didBeginReading() {
        runningReads += 1
    }

    func didEndReading() {
        runningReads -= 1
        endReadingIfIdle()
    }

    /// Ends the snapshot if neither a transaction nor a statement needs it.
    func endReadingIfIdle() {
        guard !transaction.isExplicit, !transaction.isWriting, runningReads == 0 else { return }
        endTransaction(keeping: nil)
    }

    /// Ends the transaction, and releases its locks. Running statements keep the state.
    func endTransaction(keeping state: SimulatedState?) {
        transaction = SimulatedTransaction()
        store.endWriting(number)
        if runningReads > 0, let state {
            transaction.read(state)
        } else {
            store.endReading(number)
        }
    }

    func didChangeRows(_ count: Int) {
        changesCount = count
        totalChangesCount += count
    }

    // MARK: Properties of the database

    var isInTransaction: Bool { transaction.isExplicit }

    func setReadOnly(_ isReadOnly: Bool) throws(StorageError) {
        try requireOpen()
        isQueryOnly = isReadOnly
    }

    func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        reporter.report(to: sink, interest: interest)
    }

    /// Like SQLite's `data_version`, the token inside a transaction belongs to the transaction's snapshot.
    func foreignChangeToken() throws(StorageError) -> Int64? {
        try requireOpen()
        guard capabilities.hasForeignChangeToken else { return nil }
        return visibleState.commitNumber - ownCommits
    }

    func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
        try requireOpen()
        if let schema, !schema.isSameName(as: "main") { return nil }
        return visibleState.table(name)?.definition.storageTable
    }

    func tables() throws(StorageError) -> [TableName] {
        try requireOpen()
        return visibleState.tables.values.map(\.definition.name).sorted { $0.name < $1.name }
    }

    /// The state for the next read. Accessing it does not begin a snapshot.
    var visibleState: SimulatedState { transaction.state ?? store.state }

    // MARK: Closing

    func close() throws(StorageError) {
        if isClosed { return }
        guard unfinalizedStatements == 0 else {
            throw StorageError(.busy, "unable to close due to unfinalized statements")
        }
        if transaction.isExplicit { rollBack() }
        unregister()
        reporter.report(to: nil, interest: .nothing)
        isClosed = true
    }

    private func unregister() {
        store.endWriting(number)
        store.endReading(number)
        disk.close(location)
    }
}
