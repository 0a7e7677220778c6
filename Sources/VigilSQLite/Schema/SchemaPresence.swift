import CVigilSQLite

/// The schemas that may exist besides `main`. Most connections have none, and need not search them.
///
/// An attempt to create temporary objects or to attach a database counts even if it fails.
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
