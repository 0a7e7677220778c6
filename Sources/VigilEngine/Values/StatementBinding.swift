public import VigilStorage

/// Something that can be bound to a parameter of a statement.
///
/// Types get this with ``DatabaseValueConvertible`` and do not implement it themselves.
public protocol StatementBinding {
    /// The value that is bound.
    var boundValue: StorageValue { get }
}

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
    /// What the raw value binds.
    public var boundValue: StorageValue { rawValue.boundValue }
}

extension Optional: StatementBinding where Wrapped: StatementBinding {
    /// What the wrapped value binds, or NULL.
    public var boundValue: StorageValue { self?.boundValue ?? .null }
}
