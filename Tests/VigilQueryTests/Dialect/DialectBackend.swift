import Synchronization
import VigilStorage
import VigilTestSupport

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

private final class DialectConnection: ForwardingConnection, SchemaReading, DialectProviding {
    private let reader: any SchemaReading
    private let backend: DialectBackend

    init(_ reader: any SchemaReading, _ backend: DialectBackend) {
        self.reader = reader
        self.backend = backend
        super.init(reader)
    }

    var dialect: SQLDialect { backend.dialect }
    var mainSchema: String { dialect.hasManySchemas ? "public" : SchemaNaming.main }
    var schemaNaming: SchemaNaming { .sqlite }

    override var capabilities: StorageCapabilities {
        var capabilities = base.capabilities
        if let missing = backend.missingFeatures { capabilities.missingFeatures = missing }
        return capabilities
    }

    override func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        try backend.log.willCompile(sql)
        return try base.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
    }

    /// Returns a table. The names of types are in lower case, as on servers.
    override func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
        guard var table = try reader.table(name, in: schema) else { return nil }
        for index in table.columns.indices {
            table.columns[index].type = table.columns[index].type.lowercased()
        }
        return table
    }

    func schemaNames() throws(StorageError) -> [String] { try reader.schemaNames() }

    func schemaVersion(of schema: String) throws(StorageError) -> Int64 {
        try reader.schemaVersion(of: schema)
    }

    func schemaObjects(in schema: String) throws(StorageError) -> [StorageSchemaObject] {
        try reader.schemaObjects(in: schema)
    }

    func columns(of table: TableName) throws(StorageError) -> [StorageColumn] {
        try reader.columns(of: table)
    }
    func indexes(on table: TableName) throws(StorageError) -> [StorageIndex] { try reader.indexes(on: table) }

    func foreignKeys(of table: TableName) throws(StorageError) -> [StorageForeignKey] {
        try reader.foreignKeys(of: table)
    }

    func foreignKeyCheck(of table: TableName?) throws(StorageError) -> any StorageStatement {
        try reader.foreignKeyCheck(of: table)
    }
}
