import CVigilSQLite
import VigilStorage

/// The schemas that may exist besides `main`. Most connections have none, and need not search them.
///
/// An attempt to create temporary objects counts even if it fails.
struct SchemaPresence {
    var hasTemporary = false
    var hasTemporaryTriggers = false
    var hasAttached = false

    mutating func record(_ action: Int32, in schema: UnsafePointer<CChar>?) {
        switch SQLiteAction(rawValue: action) {
        case .attach: hasAttached = true
        // `CREATE TABLE temp.player` is not reported as `createTempTable`.
        case .createTable, .createView:
            if let schema, vigil_sqlite_same_name(schema, "temp") != 0 { hasTemporary = true }
        case .createTempTable, .createTempView, .createVirtualTable: hasTemporary = true
        case .createTrigger:
            if let schema, vigil_sqlite_same_name(schema, "temp") != 0 { hasTemporaryTriggers = true }
        case .createTempTrigger: hasTemporaryTriggers = true
        default: break
        }
    }
}

extension SQLiteConnection {
    /// Updates what is known of the attached databases after a statement that attaches or detaches one. For
    /// the library, VACUUM is such a statement.
    func databasesMayHaveChanged() {
        forgetDataVersions()
        ownStatements.forgetSchemaVersions()
        guard let names = try? schemasInSearchOrder() else { return }
        virtualTableReads.keep(schemas: names)
        schemas.hasAttached = names.contains { !$0.isMainOrTemporary }
    }
}
