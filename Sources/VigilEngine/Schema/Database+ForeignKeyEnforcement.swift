import VigilStorage

extension Database {
    package func enforcesForeignKeys() throws -> Bool {
        guard let embedded else { return false }
        return try storage { () throws(StorageError) in try embedded.enforcesForeignKeys() }
    }

    /// Runs `body` while foreign keys are not enforced. Call it outside of a transaction.
    ///
    /// - Throws: the error of `body`, or `DatabaseError` with `SQLITE_MISUSE`: inside a transaction, where
    ///   the enforcement cannot change, and if `body` leaves a transaction open, in order to roll it back.
    package func withoutForeignKeys<T>(_ body: () throws -> T) throws -> T {
        guard let embedded, try enforcesForeignKeys() else {
            return try body()
        }
        guard !isInsideTransaction else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the enforcement of foreign keys cannot change inside a transaction: end it first")
        }
        try storage { () throws(StorageError) in try embedded.setEnforcesForeignKeys(false) }
        let result = Result { try body() }
        do {
            try shieldedFromCancellation {
                let isLeftOpen = isInsideTransaction
                // Inside a transaction, the library would ignore the change.
                try rollback()
                try storage { () throws(StorageError) in try embedded.setEnforcesForeignKeys(true) }
                guard !isLeftOpen else { throw DatabaseError.transactionIsLeftOpen }
            }
        } catch {
            // The first error is the relevant one.
            _ = try result.get()
            throw error
        }
        return try result.get()
    }

    /// Throws `SQLITE_CONSTRAINT_FOREIGNKEY` if the open transaction violates a foreign key and its commit
    /// would fail. The error names the table and the foreign key; the library's own error names neither.
    package func checkDeferredForeignKeys() throws {
        if embedded?.hasDeferredForeignKeyViolations == true { try checkForeignKeys() }
    }
}

extension DatabaseError {
    fileprivate static var transactionIsLeftOpen: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a transaction was left open while foreign keys were not enforced, and was rolled back: "
                + "commit it before the block ends")
    }
}
