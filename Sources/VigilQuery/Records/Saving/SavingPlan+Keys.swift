import VigilEngine

// Insertions returning the primary key's columns computed by the database.
extension SavingPlan {
    /// Returns whether no value of the primary key is NULL.
    func hasWholeKey(_ encoded: EncodedRecord) -> Bool {
        !keyValues(encoded).contains { $0.isNull }
    }

    func insertReturningKey(
        _ db: Database, _ encoded: EncodedRecord, onConflict conflict: Database.ConflictResolution?
    ) throws -> InsertionSuccess {
        let key = keyValues(encoded)
        guard key.contains(where: \.isNull) else {
            try run(db, sql: insertion(encoded, onConflict: conflict), encoded.container.values)
            return insertedNothing(db, onConflict: conflict)
                ? .nothing(encoded.container) : success(key: key, encoded)
        }
        let inserted = withoutNullKey(encoded)
        let columns = primaryKey.columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let statement = try db.leaseStatement(
            sql: "\(insertion(inserted, onConflict: conflict)) RETURNING \(columns)")
        let arguments = StatementArguments(databaseValues: inserted.container.values)
        // A row skipped because of a conflict is not returned.
        guard let row = try Row.fetchOne(statement, arguments: arguments) else {
            return .nothing(encoded.container)
        }
        return success(key: Array(row.databaseValues), encoded)
    }

    /// Returns whether the last statement was an insertion with an ignored conflict.
    func insertedNothing(_ db: Database, onConflict conflict: Database.ConflictResolution?) -> Bool {
        let resolution = conflict ?? record.persistenceConflictPolicy.conflictResolutionForInsert
        return resolution == .ignore && db.lastWrite.changes == 0
    }

    /// Returns the result of an insertion.
    ///
    /// - Parameter key: The values of the primary key in the inserted row.
    func success(key: [DatabaseValue], _ encoded: EncodedRecord) -> InsertionSuccess {
        var container = encoded.container
        for (column, value) in zip(primaryKey.columns, key) { container.set(column, value) }
        let integers = key.indices.filter { if case .int64 = key[$0].storage { true } else { false } }
        let given = keyValues(encoded)
        guard let index = integers.last(where: { given[$0].isNull }) ?? integers.last,
            case .int64(let rowID) = key[index].storage
        else { return InsertionSuccess(rowID: 0, rowIDColumn: nil, encoded: container) }
        return InsertionSuccess(
            rowID: rowID, rowIDColumn: primaryKey.columns[index], encoded: container)
    }
}
