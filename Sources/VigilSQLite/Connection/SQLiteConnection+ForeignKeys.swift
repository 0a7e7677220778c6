import CVigilSQLite
package import VigilStorage

extension SQLiteConnection: ForeignKeyEnforcing {
    package func enforcesForeignKeys() throws(StorageError) -> Bool {
        try query("PRAGMA foreign_keys").first?.first == .integer(1)
    }

    package func setEnforcesForeignKeys(_ enforces: Bool) throws(StorageError) {
        try run("PRAGMA foreign_keys = \(enforces ? "ON" : "OFF")")
    }

    package var hasDeferredForeignKeyViolations: Bool {
        guard let handle else { return false }
        var violations: Int32 = 0
        var highest: Int32 = 0
        let code = api.pointee.db_status(
            handle, SQLiteDatabaseStatus.deferredForeignKeys, &violations, &highest, 0)
        return code == SQLiteCode.ok && violations != 0
    }
}
