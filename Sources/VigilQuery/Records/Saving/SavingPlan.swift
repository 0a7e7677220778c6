import VigilEngine
import VigilRegions
import VigilStorage

/// The metadata and SQL texts for saving the records of one type. A connection caches them until the schema
/// changes.
final class SavingPlan {
    let tableName: String
    let primaryKey: PrimaryKeyInfo
    let columns: [String]
    let allColumns: RequestedColumns
    let kind: StorageTable.Kind
    let record: any MutablePersistableRecord.Type
    private let encoder: RecordEncoder
    private let conflictResolution: SQLDialect.ConflictResolution
    /// Whether insertions return the primary key's columns computed by the database.
    let returnsKeys: Bool
    /// The statements for the columns of the last record, and the statements for other columns.
    @exclusivity(unchecked)  // bench: insert-records
    private var statements: SavingStatements
    private var otherStatements: [[ExactString]: SavingStatements] = [:]
    /// The statements of insertions without columns of the primary key.
    private var keylessStatements: [[ExactString]: SavingStatements] = [:]

    private init(_ record: any MutablePersistableRecord.Type, tableName: String, _ db: Database) throws {
        self.record = record
        self.tableName = tableName
        primaryKey = try db.primaryKey(tableName)
        columns = try db.columns(in: tableName).map(\.name)
        allColumns = RequestedColumns(columns)
        kind = try db.table(named: tableName)?.kind ?? .table
        encoder = RecordEncoder(record)
        conflictResolution = db.dialect.conflictResolution
        returnsKeys = db.dialect.insertedKeys == .returned
        statements = SavingStatements(
            columns: columns, tableName: tableName, primaryKey: primaryKey, tableColumns: columns,
            conflictResolution: conflictResolution)
    }

    /// Returns the plan for a type, from the cache of the connection.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if it is a view without a primary key.
    static func of(_ record: any MutablePersistableRecord.Type, _ db: Database) throws -> SavingPlan {
        let tableName = record.databaseTableName
        return try db.derivedFromSchema(
            for: ObjectIdentifier(record), as: SavingPlan.self,
            where: { $0.tableName.isIdentical(to: tableName) },
            { try SavingPlan(record, tableName: tableName, db) })
    }

    /// Encodes a record of the type, and rethrows its error.
    func encode(_ record: some EncodableRecord) throws -> EncodedRecord {
        var container = PersistenceContainer(expecting: statements.columns, encoder: encoder)
        try record.encode(to: &container)
        container.finish()
        // The comparison of arrays with the same storage is a comparison of pointers.
        if !container.columns.isIdentical(to: statements.columns) { changeStatements(container.columns) }
        return EncodedRecord(container: container, statements: statements)
    }

    private func changeStatements(_ columns: [String]) {
        if otherStatements.count > 50 { otherStatements = [:] }
        otherStatements[statements.columns.map { ExactString($0) }] = statements
        statements =
            otherStatements[columns.map { ExactString($0) }]
            ?? SavingStatements(
                columns: columns, tableName: tableName, primaryKey: primaryKey, tableColumns: self.columns,
                conflictResolution: conflictResolution)
    }

    /// Returns a record without the primary key's NULL columns, for an insertion.
    func withoutNullKey(_ encoded: EncodedRecord) -> EncodedRecord {
        let names = Set(primaryKey.columns.map { ColumnName($0) })
        var container = PersistenceContainer()
        for (column, value) in encoded.container where !value.isNull || !names.contains(ColumnName(column)) {
            container.set(column, value)
        }
        let key = container.columns.map { ExactString($0) }
        if let statements = keylessStatements[key] {
            return EncodedRecord(container: container, statements: statements)
        }
        if keylessStatements.count > 50 { keylessStatements = [:] }
        let statements = SavingStatements(
            columns: container.columns, tableName: tableName, primaryKey: primaryKey, tableColumns: columns,
            conflictResolution: conflictResolution,
            omitsColumns: true)
        keylessStatements[key] = statements
        return EncodedRecord(container: container, statements: statements)
    }

    // MARK: - Keys

    /// Returns whether any value of the primary key is not NULL.
    func hasKey(_ encoded: EncodedRecord) -> Bool {
        let values = encoded.container.values
        return encoded.statements.keyPositions.contains { $0.map { !values[$0].isNull } ?? false }
    }

    /// Returns the values of the primary key. Columns not encoded are NULL.
    func keyValues(_ encoded: EncodedRecord) -> [DatabaseValue] {
        encoded.statements.keyPositions.map { $0.map { encoded.container.values[$0] } ?? .null }
    }

    func key(_ encoded: EncodedRecord) -> [String: DatabaseValue] {
        Dictionary(byColumn: zip(primaryKey.columns, keyValues(encoded)))
    }

    func recordNotFound(_ encoded: EncodedRecord) -> RecordError {
        RecordError.recordNotFound(databaseTableName: tableName, key: key(encoded))
    }

    // MARK: - Statements

    func insert(_ db: Database, _ encoded: EncodedRecord, onConflict conflict: Database.ConflictResolution?)
        throws
        -> InsertionSuccess
    {
        if returnsKeys { return try insertReturningKey(db, encoded, onConflict: conflict) }
        let sql = try insertion(encoded, onConflict: conflict)
        try run(db, sql: sql, encoded.container.values)
        return success(db.lastWrite.insertedRowID, encoded)
    }

    func update(
        _ db: Database, _ encoded: EncodedRecord, columns: RequestedColumns,
        onConflict conflict: Database.ConflictResolution?
    ) throws -> PersistenceSuccess {
        let update = try update(encoded, columns: columns, onConflict: conflict)
        let count = try countChanges(db) {
            try run(db, sql: update.sql, update.arguments(encoded.container.values))
        }
        guard count > 0 else { throw recordNotFound(encoded) }
        return PersistenceSuccess(updated: encoded.container)
    }

    func delete(_ db: Database, _ encoded: EncodedRecord) throws -> Bool {
        guard hasKey(encoded) else { return false }
        let sql = "DELETE FROM \(tableName.quotedDatabaseIdentifier) WHERE \(encoded.statements.keyCondition)"
        return try countChanges(db) { try run(db, sql: sql, keyValues(encoded)) } > 0
    }

    func exists(_ db: Database, _ encoded: EncodedRecord) throws -> Bool {
        guard hasKey(encoded) else { return false }
        let table = tableName.quotedDatabaseIdentifier
        let statement = try db.leaseStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(encoded.statements.keyCondition))")
        let arguments = StatementArguments(databaseValues: keyValues(encoded))
        return try Bool.fetchOne(statement, arguments: arguments) ?? false
    }

    /// Returns the update of the requested columns, as far as the record encodes them.
    func update(
        _ encoded: EncodedRecord, columns: RequestedColumns, onConflict conflict: Database.ConflictResolution?
    ) throws -> SavingStatements.Update {
        guard hasKey(encoded) else { throw recordNotFound(encoded) }
        return try encoded.statements.update(
            columns, onConflict: conflict ?? record.persistenceConflictPolicy.conflictResolutionForUpdate)
    }

    func insertion(_ encoded: EncodedRecord, onConflict conflict: Database.ConflictResolution?) throws
        -> String
    {
        try encoded.statements.insertion(
            conflict ?? record.persistenceConflictPolicy.conflictResolutionForInsert)
    }

    func success(_ rowID: Int64, _ encoded: EncodedRecord) -> InsertionSuccess {
        InsertionSuccess(
            rowID: rowID, rowIDColumn: primaryKey.rowIDColumn,
            rowIDName: primaryKey.isRowID ? primaryKey.rowIDName : nil, encoded: encoded.container)
    }

    func run(_ db: Database, sql: String, _ values: [DatabaseValue]) throws {
        try db.execute(sql: sql, arguments: StatementArguments(databaseValues: values))
    }

    /// Returns the number of rows changed by a statement. For a view, this is the number of rows changed by
    /// its triggers.
    func countChanges(_ db: Database, _ statement: () throws -> Void) throws -> Int {
        let before = kind == .view ? db.totalChangesCount : 0
        try statement()
        return kind == .view ? db.lastWrite.totalChanges - before : db.lastWrite.changes
    }
}

/// An encoded record, and the statements for its columns.
struct EncodedRecord {
    let container: PersistenceContainer
    let statements: SavingStatements
}
