import VigilStorage
import VigilTesting

/// A library for databases in memory, with functions and hooks as in C libraries: the simulation, without its
/// own reports of changes.
struct Library {
    typealias InterruptHandle = any StorageInterrupter

    private let simulation = SimulatedBackend()

    func open(_ location: StorageLocation, _ options: StorageOptions) throws(StorageError) -> Session {
        Session(try simulation.open(location, options: options))
    }
}

extension Library {
    /// A connection to a database.
    final class Session {
        private let connection: any StorageConnection
        private let hooks = Hooks()
        private(set) var isClosed = false

        fileprivate init(_ connection: any StorageConnection) {
            self.connection = connection
            connection.report(to: hooks, interest: .transactions)
        }

        /// Called before a commit. `false` prevents it.
        var commitHook: () -> Bool {
            get { hooks.commit }
            set { hooks.commit = newValue }
        }

        var rollbackHook: () -> Void {
            get { hooks.rollback }
            set { hooks.rollback = newValue }
        }

        var interruptHandle: Library.InterruptHandle { connection.interrupter }
        var isInTransaction: Bool { connection.isInTransaction }
        var lastInsertedRowID: Int64 { connection.lastInsertedRowID }
        var changesCount: Int { connection.changesCount }
        var totalChangesCount: Int { connection.totalChangesCount }

        func compile(_ sql: String, from offset: Int) throws(StorageError) -> (program: Program?, end: Int) {
            let preparation = try connection.prepare(sql, fromUTF8Offset: offset, isCached: false)
            return (preparation.statement.map(Program.init), preparation.endUTF8Offset)
        }

        func perform(_ command: TransactionCommand) throws(StorageError) { try connection.perform(command) }
        func beginSnapshot() throws(StorageError) { try connection.beginSnapshot() }
        func setReadOnly(_ isReadOnly: Bool) throws(StorageError) { try connection.setReadOnly(isReadOnly) }

        func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
            try connection.table(name, in: schema)
        }

        func tables() throws(StorageError) -> [TableName] { try connection.tables() }

        func close() throws(StorageError) {
            try connection.close()
            isClosed = true
        }

        private final class Hooks: ChangeSink {
            var commit: () -> Bool = { true }
            var rollback: () -> Void = {}

            func didChange(_ event: ChangeEvent) {}
            func willCommit() -> Bool { commit() }
            func didRollback() { rollback() }
        }

    }

    /// A compiled statement.
    final class Program {
        private let statement: any StorageStatement

        init(_ statement: any StorageStatement) { self.statement = statement }

        var sql: String { statement.sql }
        var expandedSQL: String { statement.expandedSQL }
        var columnNames: [String] { statement.columnNames }
        var parameterCount: Int { statement.parameterCount }
        var readTables: [TableName] { statement.access.reads.map(\.table) }
        var writtenTables: [TableWrite] { statement.access.writes }
        var transactionEffect: TransactionEffect? { statement.access.transactionEffect }
        var changesSchema: Bool { statement.access.changesSchema }
        var alteredTables: [TableName] { statement.access.alteredTables }
        var isReadOnly: Bool { statement.access.isReadOnly }

        func parameterName(at index: Int) -> String? { statement.parameterName(at: index) }
        func bind(_ value: StorageValue, at index: Int) throws(StorageError) {
            try statement.bind(value, at: index)
        }
        func clearBindings() { statement.clearBindings() }
        func step() throws(StorageError) -> Bool { try statement.step() }
        func reset() { statement.reset() }
        func finalize() { statement.finalize() }

        func kind(of column: Int) -> StorageValueKind { statement.row[column].kind }
        func integer(_ column: Int) -> Int64 { statement.row[column].integer }
        func real(_ column: Int) -> Double { statement.row[column].real }
        func bytes(_ column: Int) -> UnsafeRawBufferPointer { statement.row[column].bytes }
    }
}
