import Synchronization
import VigilStorage

/// A backend of the build that states another dialect.
struct DialectBackend: StorageBackend {
    let base: any StorageBackend
    let dialect: SQLDialect
    /// The features that the library lacks; `nil` for those that it does lack.
    var missingFeatures: [LibraryFeature: String]?
    let log = CompiledTexts()

    var name: String { base.name }

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        let connection = try base.open(location, options: options)
        guard let reader = connection as? any SchemaReading else {
            throw StorageError(.cannotOpen, "the backend does not read the schema")
        }
        return DialectConnection(reader, self)
    }

    func watchForeignChanges(
        of location: StorageLocation, onSign: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? { nil }
}

/// The texts of the statements that connections compile.
final class CompiledTexts: Sendable {
    private let state = Mutex<(texts: [String], refusesStatements: Bool)>(([], false))

    var texts: [String] { state.withLock { $0.texts } }

    /// Makes statements fail, whose SQL the library may not understand, or accepts them again.
    func refuseStatements(_ refuses: Bool) { state.withLock { $0.refusesStatements = refuses } }

    func willCompile(_ text: String) throws(StorageError) {
        let isRefused = state.withLock { state in
            state.texts.append(text)
            return state.refusesStatements
        }
        if isRefused { throw StorageError(.error, "refused", sql: text) }
    }
}

private final class DialectConnection: StorageConnection, SchemaReading, DialectProviding {
    private let base: any SchemaReading
    private let backend: DialectBackend

    init(_ base: any SchemaReading, _ backend: DialectBackend) {
        self.base = base
        self.backend = backend
    }

    var dialect: SQLDialect { backend.dialect }
    var schemaNaming: SchemaNaming { .sqlite }

    var capabilities: StorageCapabilities {
        var capabilities = base.capabilities
        if let missing = backend.missingFeatures { capabilities.missingFeatures = missing }
        return capabilities
    }

    func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        try backend.log.willCompile(sql)
        return try base.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
    }

    // MARK: Without changes

    var lastInsertedRowID: Int64 { base.lastInsertedRowID }
    var changesCount: Int { base.changesCount }
    var totalChangesCount: Int { base.totalChangesCount }
    var interrupter: any StorageInterrupter { base.interrupter }
    var isInTransaction: Bool { base.isInTransaction }

    func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        base.report(to: sink, interest: interest)
    }

    func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
        try base.table(name, in: schema)
    }

    func foreignChangeToken() throws(StorageError) -> Int64? { try base.foreignChangeToken() }
    func beginSnapshot() throws(StorageError) { try base.beginSnapshot() }
    func perform(_ command: TransactionCommand) throws(StorageError) { try base.perform(command) }
    func setReadOnly(_ isReadOnly: Bool) throws(StorageError) { try base.setReadOnly(isReadOnly) }
    func tables() throws(StorageError) -> [TableName] { try base.tables() }
    func releaseMemory() { base.releaseMemory() }
    func close() throws(StorageError) { try base.close() }

    func schemaNames() throws(StorageError) -> [String] { try base.schemaNames() }

    func schemaVersion(of schema: String) throws(StorageError) -> Int64 {
        try base.schemaVersion(of: schema)
    }

    func schemaObjects(in schema: String) throws(StorageError) -> [StorageSchemaObject] {
        try base.schemaObjects(in: schema)
    }

    func columns(of table: TableName) throws(StorageError) -> [StorageColumn] { try base.columns(of: table) }
    func indexes(on table: TableName) throws(StorageError) -> [StorageIndex] { try base.indexes(on: table) }

    func foreignKeys(of table: TableName) throws(StorageError) -> [StorageForeignKey] {
        try base.foreignKeys(of: table)
    }

    func foreignKeyCheck(of table: TableName?) throws(StorageError) -> any StorageStatement {
        try base.foreignKeyCheck(of: table)
    }
}
