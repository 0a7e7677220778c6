import VigilEngine

// Insertions that return the columns of the primary key that the database computes.
extension SavingPlan {
    /// Returns whether no value of the primary key is NULL.
    func hasWholeKey(_ encoded: EncodedRecord) -> Bool {
        !keyValues(encoded).contains { $0.isNull }
    }

    func insertReturningKey(
        _ db: Database, _ encoded: EncodedRecord, _ conflict: Database.ConflictResolution?
    ) throws -> InsertionSuccess {
        let key = keyValues(encoded)
        guard key.contains(where: \.isNull) else {
            try run(db, insertion(encoded, conflict), encoded.container.values)
            return success(key: key, encoded)
        }
        let inserted = withoutNullKey(encoded)
        let columns = primaryKey.columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let statement = try db.unusedStatement(sql: "\(insertion(inserted, conflict)) RETURNING \(columns)")
        let arguments = StatementArguments(databaseValues: inserted.container.values)
        // A row that was not inserted because of a conflict is not returned.
        let row = try Row.fetchOne(statement, arguments: arguments)
        return success(key: row.map { Array($0.databaseValues) } ?? key, encoded)
    }

    /// Returns the result of an insertion.
    ///
    /// - Parameter key: The values of the primary key in the inserted row.
    func success(key: [DatabaseValue], _ encoded: EncodedRecord) -> InsertionSuccess {
        var container = encoded.container
        for (column, value) in zip(primaryKey.columns, key) { container.set(column, value) }
        var rowID: Int64?
        if key.count == 1, case .int64(let integer) = key[0].storage { rowID = integer }
        return InsertionSuccess(
            rowID: rowID ?? 0, rowIDColumn: rowID.flatMap { _ in primaryKey.columns.first },
            encoded: container)
    }
}
