public import Foundation
import VigilStorage

extension Row {
    /// Calls a closure with the bytes of a blob or text, without copying them, or with `nil` for NULL.
    ///
    /// ```swift
    /// let isJPEG = try row.withUnsafeData(atIndex: 2) { $0?.starts(with: [0xFF, 0xD8]) ?? false }
    /// ```
    ///
    /// - Parameters:
    ///   - index: the index of the column. The first one is 0.
    ///   - body: a closure that must not let the data escape, which is valid only during the call.
    /// - Throws: ``RowDecodingError`` if the value is a number, and the error of `body`.
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

    /// Calls a closure with the bytes of the leftmost column of the given name, without copying them. Calls
    /// it with `nil` for NULL, and if the column does not exist.
    ///
    /// - Parameters:
    ///   - columnName: the name of the column. Case is ignored.
    ///   - body: a closure that must not let the data escape, which is valid only during the call.
    /// - Throws: ``RowDecodingError`` if the value is a number, and the error of `body`.
    public func withUnsafeData<T>(named columnName: String, _ body: (Data?) throws -> T) throws -> T {
        guard let index = index(ofColumn: columnName) else { return try body(nil) }
        return try withUnsafeData(atIndex: index, body)
    }

    /// Returns the bytes of a blob or text without copying them, or `nil` for NULL. They are valid as long as
    /// the row is.
    ///
    /// - Precondition: The value is not a number.
    @available(*, deprecated, message: "Use withUnsafeData(atIndex:_:): the data must not outlive the row.")
    public func dataNoCopy(atIndex index: Int) -> Data? {
        orTrap { try withUnsafeData(atIndex: index) { $0 } }
    }

    /// Returns the bytes of the leftmost column of the given name without copying them, or `nil` for NULL,
    /// and if the column does not exist. They are valid as long as the row is.
    ///
    /// - Precondition: The value is not a number.
    @available(*, deprecated, message: "Use withUnsafeData(named:_:): the data must not outlive the row.")
    public func dataNoCopy(named columnName: String) -> Data? {
        orTrap { try withUnsafeData(named: columnName) { $0 } }
    }
}
