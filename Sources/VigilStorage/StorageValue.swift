/// A value in a database.
///
/// Values are compared as Swift compares them: canonically equivalent texts are equal, and the integer 5 is
/// not equal to the real 5.0. A database may compare them differently.
public enum StorageValue: Sendable, Hashable {
    /// NULL.
    case null
    /// A signed 64-bit integer.
    case integer(Int64)
    /// A floating-point number. NaN is stored as NULL.
    case real(Double)
    /// Text, stored in UTF-8. It may contain zero bytes.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}

/// The kind of a value.
public enum StorageValueKind: UInt8, Sendable {
    /// NULL.
    case null
    /// A signed 64-bit integer.
    case integer
    /// A floating-point number.
    case real
    /// Text in UTF-8.
    case text
    /// Bytes.
    case blob
}
