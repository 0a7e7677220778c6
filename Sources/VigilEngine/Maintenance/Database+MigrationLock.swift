import VigilStorage

extension Database {
    /// Runs `body` while no other connection migrates the database. Call it outside of a transaction.
    ///
    /// Only needed if a transaction that writes does not exclude other writers.
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
}
