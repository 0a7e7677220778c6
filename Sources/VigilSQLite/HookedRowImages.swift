import CVigilSQLite
import VigilStorage

/// The values of the row that the pre-update hook tells about.
///
/// One per connection, used again for each row: it answers only while the hook runs.
final class HookedRowImages: RowImages {
    private let api: UnsafePointer<vigil_sqlite_api>
    private var database: OpaquePointer?
    private var kind = RowChange.Kind.insert
    private(set) var columnNames: [String] = []

    init(api: UnsafePointer<vigil_sqlite_api>) {
        self.api = api
    }

    func begin(database: OpaquePointer, columnNames: [String], kind: RowChange.Kind) {
        self.database = database
        self.columnNames = columnNames
        self.kind = kind
    }

    func end() {
        database = nil
    }

    func oldValue(at column: Int) -> StorageCell? {
        guard let database, kind != .insert, let read = api.pointee.preupdate_old else { return nil }
        var value: OpaquePointer?
        guard read(database, Int32(column), &value) == SQLiteCode.ok, let value else { return nil }
        return api.pointee.cell(value)
    }

    func newValue(at column: Int) -> StorageCell? {
        guard let database, kind != .delete, let read = api.pointee.preupdate_new else { return nil }
        var value: OpaquePointer?
        guard read(database, Int32(column), &value) == SQLiteCode.ok, let value else { return nil }
        return api.pointee.cell(value)
    }
}
