import CVigilSQLite
import VigilStorage

/// The values of a row from a trigger: borrowed during its call, or copied.
final class TriggeredRowImages: RowImages {
    private let api: UnsafePointer<vigil_sqlite_api>
    private var kind = RowChange.Kind.insert
    private(set) var columnNames: [String] = []
    private var borrowed: UnsafeMutablePointer<OpaquePointer?>?
    private var copies: [OpaquePointer?] = []

    init(api: UnsafePointer<vigil_sqlite_api>) {
        self.api = api
    }

    deinit {
        for copy in copies { _ = copy.map { api.pointee.value_free($0) } }
    }

    /// Borrows all values of a change from the library, until ``endBorrowing()``.
    func borrow(_ values: UnsafeMutablePointer<OpaquePointer?>, _ part: RowImagePlan.Part) {
        kind = part.kind
        columnNames = part.plan.columns
        borrowed = values
    }

    func endBorrowing() {
        borrowed = nil
    }

    /// Copies values of the library, and appends them to the previous copies.
    func copy(_ values: UnsafeMutablePointer<OpaquePointer?>, count: Int, _ part: RowImagePlan.Part) {
        kind = part.kind
        columnNames = part.plan.columns
        for index in 0..<count { copies.append(values[index].flatMap { api.pointee.value_dup($0) }) }
    }

    func oldValue(at column: Int) -> StorageCell? {
        kind == .insert ? nil : cell(column)
    }

    func newValue(at column: Int) -> StorageCell? {
        switch kind {
        case .insert: cell(column)
        case .update: cell(columnNames.count + column)
        case .delete: nil
        }
    }

    /// Returns a value; `nil` for unknown if there was no memory for a copy.
    private func cell(_ index: Int) -> StorageCell? {
        if let borrowed { return borrowed[index].map { api.cell($0) } }
        return index < copies.count ? copies[index].map { api.cell($0) } : nil
    }
}
