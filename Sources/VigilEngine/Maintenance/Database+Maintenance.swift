import VigilStorage

extension Database {
    /// Rebuilds the database file, so that it contains no free pages.
    ///
    /// - Throws: `DatabaseError`, for example inside a transaction.
    func vacuum() throws {
        try execute(sql: try maintaining("rebuilding the database").rebuildingSQL)
    }

    /// Writes a compact copy of the database to a file. The file must not exist, or it must be empty.
    ///
    /// - Throws: `DatabaseError`, with `SQLITE_MISUSE` for libraries before SQLite 3.27.
    func vacuum(into filePath: String) throws {
        let connection = try maintaining("writing a compact copy")
        try require(.vacuumInto)
        let copy = connection.compactCopy(to: filePath)
        try execute(sql: copy.sql, arguments: [copy.argument])
    }

    /// Removes the entire content of the database: tables, views and triggers. Resets `user_version` and
    /// `application_id`. Temporary and attached databases are not affected, and the file keeps its size until
    /// ``vacuum()``.
    ///
    /// If it fails, the database is unchanged. Foreign keys are not checked, and their actions do not run.
    ///
    /// - Throws: `DatabaseError`, with `SQLITE_MISUSE` inside a transaction.
    package func erase() throws {
        guard !isInsideTransaction else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a database cannot be erased inside a transaction: end it first")
        }
        let connection = try maintaining("erasing the database")
        var failure: (any Error)?
        do {
            try withoutForeignKeys {
                try inTransaction(.immediate) {
                    while let (sql, fallback) = try storage({ () throws(StorageError) in
                        try connection.nextErasingSQL()
                    }) {
                        do {
                            try execute(sql: sql)
                        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                            guard let fallback else { throw error }
                            failure = error
                            try execute(sql: fallback)
                            failure = nil
                        }
                    }
                    try execute(sql: connection.headerResettingSQL)
                    return .commit
                }
            }
        } catch {
            guard let failure else { throw error }
            // The fallback has failed, and may have left the schema writable.
            shieldedFromCancellation { try? execute(sql: connection.schemaProtectingSQL) }
            throw (error as? DatabaseError)?.resultCode == .SQLITE_ERROR ? failure : error
        }
    }

    /// Runs `body` while no other connection migrates the database. Call it outside of a transaction.
    ///
    /// Only needed if a writing transaction does not exclude other writers.
    ///
    /// - Throws: the error of `body`, or `DatabaseError`.
    package func holdingMigrationLock<T>(_ body: () throws -> T) throws -> T {
        guard let lock = dialect.migrationLock else { return try body() }
        try execute(sql: lock.start)
        let result = Result { try body() }
        do {
            try shieldedFromCancellation { try execute(sql: lock.end) }
        } catch {
            // The first error is the relevant one. The end of the connection ends the lock too.
            _ = try result.get()
            throw error
        }
        return try result.get()
    }

    private func maintaining(_ task: String) throws -> any EmbeddedConnection {
        guard let embedded else { throw DatabaseError.isUnsupported(task) }
        return embedded
    }
}
