import VigilStorage

/// A backend for the databases of ``Library``.
///
/// It reports each write for the whole table, and declares no optional capability.
public struct MemoryBackend: StorageBackend {
    private let library = Library()

    /// Creates a backend without databases.
    public init() {}

    /// The name of the library, and its version.
    public var name: String { "Memory 1.0" }

    /// Opens a connection of the library.
    public func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        MemoryConnection(try library.open(location, options))
    }
}

final class MemoryConnection: StorageConnection {
    let capabilities = StorageCapabilities(libraryVersion: "1.0")
    let interrupter: any StorageInterrupter
    private let session: Library.Session
    private weak var sink: (any ChangeSink)?
    private var interest = ChangeInterest.nothing

    init(_ session: Library.Session) {
        self.session = session
        interrupter = MemoryInterrupter(session.interruptHandle)
        // Called in the middle of a statement or of `perform(_:)`. `false` makes the library roll back.
        session.commitHook = { [unowned self] in
            guard interest >= .transactions, let sink else { return true }
            return sink.willCommit()
        }
        session.rollbackHook = { [unowned self] in
            if interest >= .transactions { sink?.didRollback() }
        }
    }

    func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        self.sink = sink
        self.interest = sink == nil ? .nothing : interest
    }

    /// Reports, before a statement runs, that it changes its tables.
    func willRun(_ access: StatementAccess) {
        guard interest >= .changes else { return }
        for table in Set(access.writes.map(\.table)) { sink?.didChange(.table(table)) }
    }

    func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool)
        throws(StorageError) -> StoragePreparation
    {
        let (program, end) = try session.compile(sql, from: offset)
        let statement = program.map { MemoryStatement($0, on: self) }
        return StoragePreparation(statement: statement, endUTF8Offset: end)
    }

    func perform(_ command: TransactionCommand) throws(StorageError) { try session.perform(command) }
    func beginSnapshot() throws(StorageError) { try session.beginSnapshot() }
    var isInTransaction: Bool { session.isInTransaction }
    func setReadOnly(_ isReadOnly: Bool) throws(StorageError) { try session.setReadOnly(isReadOnly) }

    var lastInsertedRowID: Int64 { session.lastInsertedRowID }
    var changesCount: Int { session.changesCount }
    var totalChangesCount: Int { session.totalChangesCount }

    func foreignChangeToken() throws(StorageError) -> Int64? {
        if session.isClosed { throw StorageError(.misuse, "the connection is closed") }
        return nil
    }

    func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
        try session.table(name, in: schema)
    }

    func tables() throws(StorageError) -> [TableName] { try session.tables() }
    func close() throws(StorageError) { try session.close() }
}

/// It may outlive the connection, so it does not retain it.
final class MemoryInterrupter: StorageInterrupter {
    private let handle: Library.InterruptHandle

    init(_ handle: Library.InterruptHandle) { self.handle = handle }

    func interrupt() { handle.interrupt() }
}

final class MemoryStatement: StorageStatement {
    private let program: Library.Program
    private let connection: MemoryConnection
    private var isRunning = false
    let access: StatementAccess
    private(set) var row: StorageRow
    private(set) var columnNames: [String]

    init(_ program: Library.Program, on connection: MemoryConnection) {
        self.program = program
        self.connection = connection
        columnNames = program.columnNames
        row = StorageRow(count: columnNames.count)
        var access = StatementAccess()
        access.reads = program.readTables.map { TableRead($0) }  // All columns.
        access.writes = program.writtenTables
        access.transactionEffect = program.transactionEffect
        access.changesSchema = program.changesSchema
        access.alteredTables = program.alteredTables
        access.isReadOnly = program.isReadOnly
        self.access = access
    }

    var sql: String { program.sql }
    var expandedSQL: String { program.expandedSQL }
    var parameterCount: Int { program.parameterCount }
    func parameterName(at index: Int) -> String? { program.parameterName(at: index) }

    func bind(_ value: StorageValue, at index: Int) throws(StorageError) {
        try program.bind(value, at: index)
    }

    func clearBindings() { program.clearBindings() }

    func step() throws(StorageError) -> Bool {
        if !isRunning {
            isRunning = true
            connection.willRun(access)
        }
        do throws(StorageError) {
            isRunning = try program.step()
        } catch {
            isRunning = false
            throw error
        }
        guard isRunning else { return false }
        if program.columnNames != columnNames {  // The schema has changed.
            columnNames = program.columnNames
            row = StorageRow(count: columnNames.count)
        }
        for column in 0..<row.count { row.cells[column] = cell(column) }
        return true
    }

    /// Borrows text and blobs from the memory of the library, where they stay until its next step.
    private func cell(_ column: Int) -> StorageCell {
        switch program.kind(of: column) {
        case .null: .null
        case .integer: StorageCell(integer: program.integer(column))
        case .real: StorageCell(real: program.real(column))
        case .text: StorageCell(borrowingText: program.bytes(column))
        case .blob: StorageCell(borrowingBlob: program.bytes(column))
        }
    }

    func reset() {
        isRunning = false
        program.reset()
    }

    func finalize() { program.finalize() }
}
