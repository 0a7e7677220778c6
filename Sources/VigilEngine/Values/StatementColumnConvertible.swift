public import VigilStorage

/// A type that reads itself from a row in place, without a ``DatabaseValue`` in between.
///
/// Standard types do. For your own types this is optional, and needs no code: the default goes
/// through ``DatabaseValueConvertible/fromDatabaseValue(_:)``. Implement ``init(cell:)`` only to be
/// faster, and with the same result: either may be used.
///
/// ```swift
/// extension Percentage: StatementColumnConvertible {
///     init?(cell: StorageCell) {
///         guard let value = Int(cell: cell), (0...100).contains(value) else { return nil }
///         self.init(value: value)
///     }
/// }
/// ```
public protocol StatementColumnConvertible {
    /// Reads a value that is not NULL; `nil` if it cannot be converted.
    ///
    /// - Parameter cell: valid only during the call.
    init?(cell: StorageCell)

    /// Reads a value that may be NULL; `nil` if it cannot be converted. Not for you to implement.
    static func fromCell(_ cell: StorageCell) -> Self?
}

extension StatementColumnConvertible {
    /// ``init(cell:)``, except for NULL, which is `nil`.
    @inlinable  // bench: decode-rows
    public static func fromCell(_ cell: StorageCell) -> Self? {
        cell.kind == .null ? nil : Self(cell: cell)
    }
}

extension StatementColumnConvertible where Self: DatabaseValueConvertible {
    /// Converts a copy of the value.
    public init?(cell: StorageCell) {
        guard let value = Self.fromDatabaseValue(DatabaseValue(copying: cell)) else { return nil }
        self = value
    }
}

extension StatementColumnConvertible where Self: RawRepresentable, RawValue: StatementColumnConvertible {
    /// Reads the raw value; `nil` if no value has it.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        guard let rawValue = RawValue(cell: cell) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension StatementColumnConvertible
where Self: DatabaseValueConvertible & RawRepresentable, RawValue: StatementColumnConvertible {
    /// Reads the raw value; `nil` if no value has it.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        guard let rawValue = RawValue(cell: cell) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension Optional: StatementColumnConvertible where Wrapped: StatementColumnConvertible {
    /// Reads the wrapped value; `nil` if it cannot be converted.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        guard let value = Wrapped(cell: cell) else { return nil }
        self = .some(value)
    }

    /// The wrapped value. NULL that the wrapped type does not read is `.some(nil)`; a value that
    /// cannot be converted is `nil`.
    @inlinable  // bench: decode-rows
    public static func fromCell(_ cell: StorageCell) -> Wrapped?? {
        if let value = Wrapped.fromCell(cell) { return .some(.some(value)) }
        return cell.kind == .null ? .some(nil) : nil
    }
}
