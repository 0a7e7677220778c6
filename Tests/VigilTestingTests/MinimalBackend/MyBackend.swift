// The backend of the article *Writing a backend*, which a tidy test compares with this file.

import Foundation
import VigilStorage
import VigilTesting
import XCTest

struct MyBackend: StorageBackend {
    var name: String { "MyLibrary 1.0" }

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        MyConnection(try Library.open(location, options))
    }

    func watchForeignChanges(
        of location: StorageLocation, onSign: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        nil  // Commits of other processes are not detected.
    }
}

final class MyConnection: StorageConnection {
    let capabilities = StorageCapabilities(libraryVersion: "1.0")
    let interrupter: any StorageInterrupter
    private let library: Library
    private weak var sink: (any ChangeSink)?
    private var interest = ChangeInterest.nothing

    init(_ library: Library) {
        self.library = library
        interrupter = MyInterrupter(library.interruptHandle)
        // Called in the middle of a statement or of `perform(_:)`. `false` makes the library roll back.
        library.commitHook = { [unowned self] in
            guard interest >= .transactions, let sink else { return true }
            return sink.willCommit()
        }
        library.rollbackHook = { [unowned self] in
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
        let (program, end) = try library.compile(sql, from: offset)
        let statement = program.map { MyStatement($0, on: self) }
        return StoragePreparation(statement: statement, endUTF8Offset: end)
    }

    func perform(_ command: TransactionCommand) throws(StorageError) {
        try library.perform(command)
    }

    func beginSnapshot() throws(StorageError) {
        try library.beginSnapshot()
    }

    var isInTransaction: Bool { library.isInTransaction }

    func setReadOnly(_ isReadOnly: Bool) throws(StorageError) {
        try library.setReadOnly(isReadOnly)
    }

    var lastInsertedRowID: Int64 { library.lastInsertedRowID }
    var changesCount: Int { library.changesCount }
    var totalChangesCount: Int { library.totalChangesCount }

    func foreignChangeToken() throws(StorageError) -> Int64? {
        if library.isClosed { throw StorageError(.misuse, "the connection is closed") }
        return nil
    }

    func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
        try library.table(name, in: schema)
    }

    func tables() throws(StorageError) -> [TableName] {
        try library.tables()
    }

    func releaseMemory() {}

    func close() throws(StorageError) {
        try library.close()
    }
}

final class MyInterrupter: StorageInterrupter {
    private let handle: Library.InterruptHandle

    init(_ handle: Library.InterruptHandle) { self.handle = handle }

    func interrupt() { handle.interrupt() }
}

final class MyStatement: StorageStatement {
    private let program: Library.Program
    private let connection: MyConnection
    private var isRunning = false
    let access: StatementAccess
    private(set) var row: StorageRow
    private(set) var columnNames: [String]

    init(_ program: Library.Program, on connection: MyConnection) {
        self.program = program
        self.connection = connection
        columnNames = program.columnNames
        row = StorageRow(count: columnNames.count)
        var access = StatementAccess()
        access.readsUnknown = true  // Any change may affect the result.
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
            guard try program.step() else {
                isRunning = false
                return false
            }
        } catch {
            isRunning = false
            throw error
        }
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

final class MyBackendTests: XCTestCase {
    func testContract() {
        let directory = NSTemporaryDirectory() + UUID().uuidString
        let contract = BackendContract(backend: MyBackend()) { name in
            .file(path: "\(directory)-\(name).db")
        }
        for failure in contract.runAll() { XCTFail("\(failure)") }
    }
}
