import CVigilSQLite
import VigilStorage

extension SQLiteConnection {
    /// Enables the library's protections against malicious database files
    /// (https://www.sqlite.org/security.html), as far as its version supports them.
    ///
    /// Called before the file is first read.
    func applyUntrustedFileLimits() throws(StorageError) {
        let handle = try openHandle()
        for measure in Self.measures {
            _ = vigil_sqlite_db_config_flag(api, handle, measure.operation, measure.value, nil)
        }
        for limit in Self.limits {
            // A built-in limit of the library may be lower.
            if api.pointee.limit(handle, limit.id, -1) > limit.value {
                _ = api.pointee.limit(handle, limit.id, limit.value)
            }
        }
        try run("PRAGMA cell_size_check = ON")
        try run("PRAGMA mmap_size = 0")
    }

    private static let measures: [(operation: Int32, value: Int32)] = [
        // 3.26: plain SQL cannot write the schema, or the internal storage of virtual tables.
        (SQLiteDatabaseConfig.defensive, 1),
        // 3.31: views and triggers of the file can only call functions known to be harmless.
        (SQLiteDatabaseConfig.trustedSchema, 0),
        // 3.13: native code cannot be loaded.
        (SQLiteDatabaseConfig.enableLoadExtension, 0),
        // 3.12: a full-text tokenizer cannot be given as a memory address.
        (SQLiteDatabaseConfig.enableFTS3Tokenizer, 0),
    ]

    private static let limits: [(id: Int32, value: Int32)] = [
        (SQLiteLimit.length, 100_000_000),
        (SQLiteLimit.sqlLength, 1_000_000),
        (SQLiteLimit.columns, 500),
        (SQLiteLimit.expressionDepth, 100),
        (SQLiteLimit.compoundSelect, 50),
        (SQLiteLimit.programLength, 1_000_000),
        // VACUUM attaches a database of its own.
        (SQLiteLimit.attached, 1),
        (SQLiteLimit.patternLength, 1_000),
        (SQLiteLimit.triggerDepth, 10),
    ]
}
