public import VigilEngine
import VigilRegions
import VigilStorage

#if SQLite
    public import VigilSQLite
#else
    import VigilSQLite
#endif

#if SQLite
    extension SQLiteBackend {
        /// Calls a closure with the `sqlite3 *` of a connection, for functions of SQLite's C interface
        /// without a counterpart in Vigil.
        ///
        /// ```swift
        /// import SQLite3
        ///
        /// configuration.prepareDatabase { db in
        ///     try SQLiteBackend.withConnectionHandle(db) { handle in
        ///         guard sqlite3_spellfix_init(handle, nil, nil) == SQLITE_OK else { throw MyError() }
        ///     }
        /// }
        /// ```
        ///
        /// Vigil cannot detect what the closure does, so everything in the database counts as changed
        /// afterwards: all observations are notified when the transaction commits, or immediately outside of
        /// one. An observation that fetches with this method depends on the whole database. A closure in a
        /// read-only access must not write.
        ///
        /// The handle must not be used after the closure has returned. The closure must not close the
        /// connection, and must not replace its hooks (update, pre-update, commit, rollback), its authorizer
        /// or its busy handler. Inside `write`, `inTransaction` and `inSavepoint`, it must not begin or end a
        /// transaction. The functions must belong to the library of the connection.
        ///
        /// - Throws: the error of the closure; the error of a transaction observer that prevented the commit;
        ///   `DatabaseError` with `SQLITE_MISUSE` if another kind of backend opened the database, or if the
        ///   database is closed.
        public static func withConnectionHandle<T>(
            _ db: Database, _ body: (OpaquePointer) throws -> T
        ) throws -> T {
            try db.withConnectionHandle(body)
        }
    }
#endif

#if SQLCipher
    public import VigilSQLCipher

    extension SQLCipherBackend {
        /// Calls a closure with the `sqlite3 *` of a connection, for functions of SQLCipher's C interface
        /// without a counterpart in Vigil.
        ///
        /// The rules of `SQLiteBackend.withConnectionHandle` apply. In particular, everything in the database
        /// counts as changed afterwards; and the closure must not keep the handle, close the connection,
        /// begin or end a transaction inside `write`, or replace the connection's hooks, authorizer or busy
        /// handler.
        ///
        /// - Throws: the same errors as that method.
        public static func withConnectionHandle<T>(
            _ db: Database, _ body: (OpaquePointer) throws -> T
        ) throws -> T {
            try db.withConnectionHandle(body)
        }
    }
#endif

extension Database {
    fileprivate func withConnectionHandle<T>(_ body: (OpaquePointer) throws -> T) throws -> T {
        guard let connection = connection as? SQLiteConnection else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "this backend has no C handle: only SQLiteBackend and SQLCipherBackend have one")
        }
        let handle: OpaquePointer
        do {
            handle = try connection.openHandle()
        } catch {
            throw DatabaseError(error)
        }
        let use = connection.willUseHandle()
        return try withUnreportedChanges {
            try body(handle)
        } doubtfulConditions: {
            DoubtfulConditions(connection.didUseHandle(use))
        }
    }
}

extension DoubtfulConditions {
    /// Returns `nil` if a use of the handle changed the meaning of no query.
    fileprivate init?(_ effects: HandleEffects) {
        guard !effects.isEmpty else { return nil }
        self = []
        if effects.contains(.functions) { insert(.prefixes) }
        if effects.contains(.collations) { formUnion(.text) }
    }
}
