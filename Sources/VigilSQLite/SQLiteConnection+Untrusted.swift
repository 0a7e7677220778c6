import CVigilSQLite
import VigilStorage

extension SQLiteConnection {
    /// Does what the library offers against files that were made to do harm
    /// (https://www.sqlite.org/security.html). What it is too old for is left out.
    ///
    /// Called before the file is read for the first time.
    func distrustFile() throws(StorageError) {
        let handle = try openHandle()
        for measure in Self.measures {
            _ = vigil_sqlite_db_config_flag(api, handle, measure.operation, measure.value, nil)
        }
        for limit in Self.limits {
            // The library keeps a limit of its own that is lower still.
            if api.pointee.limit(handle, limit.id, -1) > limit.value {
                _ = api.pointee.limit(handle, limit.id, limit.value)
            }
        }
        try run("PRAGMA cell_size_check = ON")
        try run("PRAGMA mmap_size = 0")
    }

    private static let measures: [(operation: Int32, value: Int32)] = [
        // 3.26: nothing can write the schema's or a virtual table's own storage with plain SQL.
        (SQLiteDatabaseConfig.defensive, 1),
        // 3.31: views and triggers of the file call only functions that are known to be harmless.
        (SQLiteDatabaseConfig.trustedSchema, 0),
        // 3.13: no native code is loaded.
        (SQLiteDatabaseConfig.enableLoadExtension, 0),
        // 3.12: no full-text tokenizer is named by its address in memory.
        (SQLiteDatabaseConfig.enableFTS3Tokenizer, 0),
    ]

    private static let limits: [(id: Int32, value: Int32)] = [
        (SQLiteLimit.length, 100_000_000),
        (SQLiteLimit.sqlLength, 1_000_000),
        (SQLiteLimit.columns, 500),
        (SQLiteLimit.expressionDepth, 100),
        (SQLiteLimit.compoundSelect, 50),
        (SQLiteLimit.programLength, 1_000_000),
        // VACUUM attaches one for itself.
        (SQLiteLimit.attached, 1),
        (SQLiteLimit.patternLength, 1_000),
        (SQLiteLimit.triggerDepth, 10),
    ]
}
