public import Foundation
import VigilStorage

extension Row {
    /// Calls `body` with the bytes of a blob or text, which are not copied; with `nil` for NULL.
    ///
    /// - Parameter body: must not let the data escape: it is valid during the call only.
    /// - Throws: ``RowDecodingError`` for a number, and what `body` throws.
    public func withUnsafeData<T>(atIndex index: Int, _ body: (Data?) throws -> T) throws -> T {
        let cell = cell(at: index)
        switch cell.kind {
        case .null: return try body(nil)
        case .integer, .real: throw mismatch(Data.self, index)
        case .text, .blob:
            guard let start = cell.bytes.baseAddress, cell.bytes.count > 0 else { return try body(Data()) }
            return try withExtendedLifetime(self) {
                try body(
                    Data(
                        bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: cell.bytes.count,
                        deallocator: .none))
            }
        }
    }

    /// Calls `body` with the bytes of the leftmost column of that name, which are not copied; with `nil` for NULL,
    /// and if there is no such column.
    ///
    /// - Parameter body: must not let the data escape: it is valid during the call only.
    /// - Throws: ``RowDecodingError`` for a number, and what `body` throws.
    public func withUnsafeData<T>(named columnName: String, _ body: (Data?) throws -> T) throws -> T {
        guard let index = index(ofColumn: columnName) else { return try body(nil) }
        return try withUnsafeData(atIndex: index, body)
    }

    /// The bytes of a blob or text, which are not copied; `nil` for NULL. Valid as long as the row is.
    @available(*, deprecated, message: "Use withUnsafeData(atIndex:_:): the data must not outlive the row.")
    public func dataNoCopy(atIndex index: Int) -> Data? {
        orTrap { try withUnsafeData(atIndex: index) { $0 } }
    }

    /// The bytes of the leftmost column of that name, which are not copied; `nil` for NULL, and if there is no such
    /// column. Valid as long as the row is.
    @available(*, deprecated, message: "Use withUnsafeData(named:_:): the data must not outlive the row.")
    public func dataNoCopy(named columnName: String) -> Data? {
        orTrap { try withUnsafeData(named: columnName) { $0 } }
    }
}
