import CVigilSQLite
import VigilStorage

/// The values of the row reported by the pre-update hook.
///
/// Each connection has one, and reuses it for each row: its values are only available while the hook runs.
final class HookedRowImages: RowImages {
    private let api: UnsafePointer<vigil_sqlite_api>
    private var database: OpaquePointer?
    private var kind = RowChange.Kind.insert
    private var table: ChangeReporter.CurrentTable?
    /// For each column, whether it has a default other than NULL.
    private var hasDefault: [Bool] { table?.imageDefaults ?? [] }
    /// The columns after these are computed from the others, and have unknown values.
    private var storedCount: Int { table?.storedColumnCount ?? 0 }

    init(api: UnsafePointer<vigil_sqlite_api>) {
        self.api = api
    }

    var columnNames: [String] { table?.imageColumns ?? [] }

    func begin(database: OpaquePointer, _ table: ChangeReporter.CurrentTable, _ kind: RowChange.Kind) {
        self.database = database
        self.kind = kind
        // The table is usually the same as before.
        if self.table !== table { self.table = table }
    }

    func end() {
        database = nil
    }

    func oldValue(at column: Int) -> StorageCell? {
        guard let database, kind != .insert, column < storedCount, let read = api.pointee.preupdate_old
        else { return nil }
        var value: OpaquePointer?
        guard read(database, Int32(column), &value) == SQLiteCode.ok, let value else { return nil }
        let cell = api.cell(value)
        return mayBeRounded(cell) ? nil : stored(cell, column)
    }

    /// Returns whether an old value may be an integer, rounded to a real by the library.
    ///
    /// In tables without row id, SQLite 3.40 takes the affinity of another column for that of this one, if
    /// the primary key has another order than the columns: an integer then becomes a real.
    private func mayBeRounded(_ cell: StorageCell) -> Bool {
        cell.kind == .real && table?.hasRowID == false && cell.real.magnitude >= 0x1p53
    }

    func newValue(at column: Int) -> StorageCell? {
        guard let database, kind != .delete, column < storedCount, let read = api.pointee.preupdate_new
        else { return nil }
        var value: OpaquePointer?
        guard read(database, Int32(column), &value) == SQLiteCode.ok, let value else { return nil }
        let cell = api.cell(value)
        // A row copied by `INSERT … SELECT` may lack columns added later to the source table.
        return kind == .insert ? stored(cell, column) : cell
    }

    func isUnchanged(at column: Int) -> Bool {
        column >= storedCount
            && (0..<storedCount).allSatisfy { stored in
                guard let old = oldValue(at: stored), let new = newValue(at: stored) else { return false }
                return old.isIdentical(to: new)
            }
    }

    /// Returns the value, unless the row may have been stored before the column was added: the library then
    /// reports NULL instead of the column's default.
    private func stored(_ cell: StorageCell, _ column: Int) -> StorageCell? {
        cell.kind == .null && hasDefault.indices.contains(column) && hasDefault[column] ? nil : cell
    }
}
