import VigilStorage

/// The metadata of written tables, valid until the schema changes.
///
/// A value that uses no connection: ``ChangeReporter`` looks up missing metadata, and stores it here.
struct TableMetadataCache {
    /// The metadata. Missing tables were not looked up yet.
    private var metadata: [TableName: TableMetadata] = [:]
    /// A number incremented by each change of the schema.
    private(set) var version = 1
    /// The schema version of the database at the time of the ``metadata``.
    private var schemaVersion: Int64?
    /// The same for attached databases, in their order.
    private var attachedVersions: [Int64?] = []
    /// Whether the current transaction has compared them.
    private(set) var areAttachedSchemasChecked = false
    /// Whether the current transaction has compared the schema version.
    private(set) var isSchemaChecked = false
    /// Whether the current transaction may have changed the schema.
    private(set) var hasChangedSchema = false
    /// The table of the last row change. The next change is usually in the same table.
    private(set) var current: ChangeReporter.CurrentTable?

    subscript(_ table: TableName) -> TableMetadata? { metadata[table] }

    var virtualTables: [TableName] {
        metadata.values.filter { $0.table.kind == .virtual }.map(\.table.name)
    }

    var hasSchemaVersion: Bool { schemaVersion != nil }

    mutating func store(_ found: TableMetadata, of table: TableName) {
        metadata[table] = found
        current = nil
    }

    mutating func discard() {
        metadata.removeAll(keepingCapacity: true)
        current = nil
        version += 1
    }

    mutating func setCurrent(_ table: ChangeReporter.CurrentTable) { current = table }

    /// Handles a change of the row image triggers, which are part of the ``current`` table.
    mutating func triggersDidChange() { current = nil }

    // MARK: - The schema version

    mutating func schemaWillBeChecked() { isSchemaChecked = true }

    /// Handles the end of a transaction: another connection may change the schema before the next one.
    mutating func transactionDidEnd() {
        isSchemaChecked = false
        areAttachedSchemasChecked = false
        hasChangedSchema = false
    }

    mutating func schemaDidChange() { hasChangedSchema = true }

    /// Compares the schema version, `nil` if it cannot be read, and discards the metadata of another one.
    mutating func adoptSchemaVersion(_ version: Int64?) {
        guard version == nil || version != schemaVersion else { return }
        schemaVersion = version
        discard()
    }

    /// Does the same with the versions of attached databases, in their order.
    mutating func adoptAttachedSchemaVersions(_ versions: [Int64?]) {
        areAttachedSchemasChecked = true
        guard versions.contains(nil) || versions != attachedVersions else { return }
        attachedVersions = versions
        discard()
    }
}
