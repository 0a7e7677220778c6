public import VigilStorage

/// A type that can be decoded directly from a row, without a ``DatabaseValue``.
///
/// Many standard types conform. Conformance is optional for your own types, and requires no code: the default
/// implementation calls ``DatabaseValueConvertible/fromDatabaseValue(_:)``. Implement
/// ``StatementColumnConvertible/init(cell:)`` only to avoid the copy. It must have the same result, because
/// either of the two may be called.
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
    /// Reads a value other than NULL; `nil` if that is not possible. The cell is valid only during the call.
    init?(cell: StorageCell)

    /// Returns a value that may be NULL, or `nil` if it cannot be converted. Do not implement this method.
    static func fromCell(_ cell: StorageCell) -> Self?
}

extension StatementColumnConvertible {
    /// Returns the result of ``StatementColumnConvertible/init(cell:)``, or `nil` for NULL.
    @inlinable  // bench: decode-rows
    public static func fromCell(_ cell: StorageCell) -> Self? {
        cell.kind == .null ? nil : Self(cell: cell)
    }
}

extension StatementColumnConvertible where Self: DatabaseValueConvertible {
    /// Copies and converts the value.
    public init?(cell: StorageCell) {
        guard let value = Self.fromDatabaseValue(DatabaseValue(copying: cell)) else { return nil }
        self = value
    }
}

extension StatementColumnConvertible where Self: RawRepresentable, RawValue: StatementColumnConvertible {
    /// Reads the raw value. Returns `nil` if no value has it.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        guard let rawValue = RawValue(cell: cell) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension StatementColumnConvertible
where Self: DatabaseValueConvertible & RawRepresentable, RawValue: StatementColumnConvertible {
    /// Reads the raw value. Returns `nil` if no value has it.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        guard let rawValue = RawValue(cell: cell) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension Optional: StatementColumnConvertible where Wrapped: StatementColumnConvertible {
    /// Reads the wrapped value. Returns `nil` if it cannot be converted.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        guard let value = Wrapped(cell: cell) else { return nil }
        self = .some(value)
    }

    /// Returns the wrapped value. Returns `.some(nil)` for NULL, unless the wrapped type reads NULL, and
    /// `nil` if the value cannot be converted.
    @inlinable  // bench: decode-rows
    public static func fromCell(_ cell: StorageCell) -> Wrapped?? {
        if let value = Wrapped.fromCell(cell) { return .some(.some(value)) }
        return cell.kind == .null ? .some(nil) : nil
    }
}
