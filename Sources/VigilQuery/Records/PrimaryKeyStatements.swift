import VigilEngine
import VigilStorage

/// The statements to read or delete one row of a table by its primary key. They are cached until the schema
/// changes.
final class PrimaryKeyStatements {
    /// The name of the table, as the caller spells it.
    let tableName: String
    let column: String
    private let table: TableName
    /// The record type, if it has strategies for encoding keys.
    private let encodableType: (any EncodableRecord.Type)?
    private let isRowID: Bool
    private let selection: String
    private let existence: String
    private let deletion: String

    private init(_ type: any TableRecord.Type, tableName: String, _ db: Database) throws {
        let known = try QueryTable.named(tableName, db)
        column = try known.primaryKeyColumn()
        guard let metadata = known.metadata else { throw DatabaseError.noSuchTable(tableName) }
        self.tableName = tableName
        encodableType = type as? any EncodableRecord.Type
        table = metadata.name
        isRowID = known.isRowID(column)
        let from = "FROM \(tableName.quotedDatabaseIdentifier) WHERE \(column.quotedDatabaseIdentifier) = ?"
        selection = "SELECT * \(from)"
        existence = "SELECT EXISTS (\(selection))"
        deletion = "DELETE \(from)"
    }

    /// Returns the statements for a record type.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    static func of(_ type: any TableRecord.Type, _ db: Database) throws -> PrimaryKeyStatements {
        let name = type.databaseTableName
        let id = ObjectIdentifier(type)
        // A type may compute the name of its table.
        return try db.derivedFromSchema(
            for: id, as: PrimaryKeyStatements.self, where: { $0.tableName.isIdentical(to: name) },
            { try PrimaryKeyStatements(type, tableName: name, db) })
    }

    /// Returns a key as stored in the rows of the record type.
    ///
    /// - Parameter value: The value of the key outside of records.
    /// - Throws: `EncodingError` if a strategy of the record type cannot encode the key.
    func stored(_ key: some DatabaseValueConvertible, _ value: DatabaseValue) throws -> DatabaseValue {
        // Dates, data and UUIDs are encoded by strategies, and are not integers here.
        if case .int64 = value.storage { return value }
        guard let encodableType, let key = StrategyEncodedKey(key) else { return value }
        return try key.databaseValue(encodableType, column: column)
    }

    /// Returns a statement to select all columns of the row with the key.
    func selection(of key: DatabaseValue, _ db: Database) throws -> Statement {
        try statement(selection, key: key, db)
    }

    func existence(of key: DatabaseValue, _ db: Database) throws -> Statement {
        try statement(existence, key: key, db)
    }

    func deletion(of key: DatabaseValue, _ db: Database) throws -> Statement {
        try statement(deletion, key: key, db)
    }

    private func statement(_ sql: String, key: DatabaseValue, _ db: Database) throws -> Statement {
        let statement = try db.leaseStatement(sql: sql)
        try statement.setArguments([key])
        if db.isRecording, isRowID, case .int64(let rowID) = key.storage {
            statement.knownRows = (table, [rowID])
        }
        return statement
    }
}
