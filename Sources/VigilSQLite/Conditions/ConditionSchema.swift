import CVigilSQLite
package import VigilStorage

/// A cache of the tables in the schema `main`, for statements on the same tables.
struct ConditionSchema {
    /// The known tables and views; `nil` for names without one.
    fileprivate var tables: [TableName: TableMetadata?] = [:]
    fileprivate var version: Int64 = -1
    /// Whether the database stores text as UTF-8; `nil` until it was looked up.
    fileprivate var storesUTF8: Bool?
    fileprivate static let limit = 256
}

/// The state that, besides the text, determines the conditions of a statement.
struct ConditionBasis: Equatable {
    fileprivate var schemaVersion: Int64
    fileprivate var ownCollationCount: Int
}

extension SQLiteConnection {
    /// The current basis; `nil` where one version may stand for different schemas.
    var conditionBasis: ConditionBasis? {
        guard !schemas.hasTemporary, !schemas.hasAttached, !mayHaveChangedSchema,
            let version = try? schemaVersion(of: "main")
        else { return nil }
        return ConditionBasis(schemaVersion: version, ownCollationCount: collations.redefined.count)
    }

    func table(meantBy source: FromClause.Source) throws(StorageError) -> TableMetadata? {
        if let schema = source.schema { return try cachedMetadata(of: source.name, in: schema) }
        for schema in try possibleSchemas() {
            if let metadata = try cachedMetadata(of: source.name, in: schema) { return metadata }
        }
        return nil
    }

    /// Caches the metadata of `main` only: the versions of temporary and attached schemas may repeat.
    private func cachedMetadata(of name: String, in schema: String) throws(StorageError) -> TableMetadata? {
        guard schema.isSameName(as: "main") else { return try metadata(of: name, in: schema) }
        let version = try schemaVersion(of: "main")
        if conditionSchema.version != version || conditionSchema.tables.count >= ConditionSchema.limit {
            conditionSchema = ConditionSchema()
            conditionSchema.version = version
        }
        if let known = conditionSchema.tables[TableName(name: name)] { return known }
        let found = try metadata(of: name, in: "main")
        // After a rollback, another schema can get the same version.
        if !mayHaveChangedSchema { conditionSchema.tables[TableName(name: name)] = .some(found) }
        return found
    }

    private var mayHaveChangedSchema: Bool {
        guard isInTransaction else { return false }
        let writes: Int32 = 2
        return api.pointee.txn_state.map { $0(handle, "main") == writes } ?? reporter.hasWritten
    }

    /// Returns whether one of the names belongs to a view or a virtual table, in any schema.
    func hasViewOrVirtualTable(among names: Set<String>) throws(StorageError) -> Bool {
        for schema in try possibleSchemas() {
            let found = try virtualNames(in: schema, includesViews: true)
            if found.contains(where: { names.contains($0.foldedName) }) { return true }
        }
        return false
    }

    /// Returns the comparison of text in a column; `nil` for unknown and user-defined collations.
    package func collation(of column: String, in table: TableName) -> RowCondition.Collation? {
        guard let name = collationName(of: column, in: table), isOfLibrary(collation: name), storesUTF8
        else { return nil }
        switch name {
        case "binary": return .binary
        case "nocase": return .nocase
        case "rtrim": return .rtrim
        default: return nil
        }
    }

    /// Returns the folded name of a column's collation; `nil` for an unknown column.
    func collationName(of column: String, in table: TableName) -> String? {
        var name: UnsafePointer<CChar>?
        let code = api.pointee.table_column_metadata(
            handle, table.schema, table.name, column, nil, &name, nil, nil, nil)
        return code == SQLiteCode.ok ? name.map { String(cString: $0).foldedName } : nil
    }

    /// Returns whether equal texts have the same length, given the folded name of their collation.
    func keepsLength(collation: String) -> Bool {
        ["binary", "nocase"].contains(collation) && isOfLibrary(collation: collation)
    }

    /// Returns whether a collation of the library, given its folded name, was not replaced by the program.
    func isOfLibrary(collation: String) -> Bool {
        guard !collations.redefined.contains(collation) else { return false }
        collations.hasTrustedLibrary = true
        return true
    }

    /// Whether the library skips U+FEFF between tokens as white space, as newer versions do.
    var skipsByteOrderMarks: Bool {
        guard let statement = try? compileInternally("SELECT \u{FEFF}1") else { return false }
        _ = api.pointee.finalize(statement)
        return true
    }

    /// Whether text is stored as UTF-8. Other encodings order text by different bytes.
    var storesUTF8: Bool {
        if let known = conditionSchema.storesUTF8 { return known }
        let answer = (try? query("PRAGMA encoding"))?.first?.first == .text("UTF-8")
        conditionSchema.storesUTF8 = answer
        return answer
    }
}
