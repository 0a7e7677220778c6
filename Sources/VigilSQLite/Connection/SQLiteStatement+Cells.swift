import CVigilSQLite
import VigilStorage

extension SQLiteStatement: EmbeddedStatement {
    func bind(borrowing cell: StorageCell, at index: Int) throws(StorageError) {
        let handle = try openHandle()
        let position = Int32(clamping: index)
        let bytes = cell.bytes
        let code: Int32
        switch cell.kind {
        case .null: code = api.pointee.bind_null(handle, position)
        case .integer: code = api.pointee.bind_int64(handle, position, cell.integer)
        case .real: code = api.pointee.bind_double(handle, position, cell.real)
        case .text:
            code = bytes.withMemoryRebound(to: CChar.self) { text in
                // A null address would bind NULL.
                var empty: CChar = 0
                return withUnsafePointer(to: &empty) {
                    api.pointee.bind_text(
                        handle, position, text.baseAddress ?? $0, Int32(clamping: text.count),
                        text.isEmpty ? copiesBoundMemory : nil)
                }
            }
        case .blob where bytes.isEmpty: code = api.pointee.bind_zeroblob(handle, position, 0)
        case .blob:
            code = api.pointee.bind_blob(
                handle, position, bytes.baseAddress, Int32(clamping: bytes.count), nil)
        }
        guard code == SQLiteCode.ok else { throw bindingError(code) }
    }
}
