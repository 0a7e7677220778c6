public import VigilStorage

/// A type that can be bound to a parameter of a statement.
///
/// Do not implement it yourself: every ``DatabaseValueConvertible`` type conforms.
public protocol StatementBinding {
    /// The value that is bound.
    var boundValue: StorageValue { get }
}

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
    /// The bound value of the raw value.
    public var boundValue: StorageValue { rawValue.boundValue }
}

extension Optional: StatementBinding where Wrapped: StatementBinding {
    /// The bound value of the wrapped value; NULL for `nil`.
    public var boundValue: StorageValue { self?.boundValue ?? .null }
}
