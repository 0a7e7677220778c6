import VigilStorage

extension Database {
    /// Returns whether foreign keys are enforced.
    package func enforcesForeignKeys() throws -> Bool {
        guard let connection = connection as? any ForeignKeyEnforcing else { return false }
        return try storage { () throws(StorageError) in try connection.enforcesForeignKeys() }
    }

    /// Runs `body` while foreign keys are not enforced. Call it outside of a transaction.
    ///
    /// - Throws: the error of `body`, or `DatabaseError`: with `SQLITE_MISUSE` inside a transaction, where the
    ///   enforcement cannot change.
    package func withoutForeignKeys<T>(_ body: () throws -> T) throws -> T {
        guard let connection = connection as? any ForeignKeyEnforcing, try enforcesForeignKeys() else {
            return try body()
        }
        guard !isInsideTransaction else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the enforcement of foreign keys cannot change inside a transaction")
        }
        try storage { () throws(StorageError) in try connection.setEnforcesForeignKeys(false) }
        let result = Result { try body() }
        do {
            try shieldedFromCancellation {
                try storage { () throws(StorageError) in try connection.setEnforcesForeignKeys(true) }
            }
        } catch {
            // The first error is the relevant one.
            _ = try result.get()
            throw error
        }
        return try result.get()
    }

    /// Throws the error of a foreign key that the open transaction violates, if the commit would fail because of
    /// it.
    ///
    /// The library's own error names neither table nor foreign key.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_CONSTRAINT_FOREIGNKEY`, which names both.
    package func checkDeferredForeignKeys() throws {
        guard (connection as? any ForeignKeyEnforcing)?.hasDeferredForeignKeyViolations == true else {
            return
        }
        try checkForeignKeys()
    }
}
