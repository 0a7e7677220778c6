/// A value in a database.
///
/// Two values are equal if they are of the same kind and have the same content. Texts are compared by bytes,
/// so canonically equivalent texts differ, and the integer 5 is not equal to the real 5.0. A database may
/// compare them differently.
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

    /// Returns whether two values are of the same kind and have the same content.
    public static func == (one: StorageValue, other: StorageValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.integer(let one), .integer(let other)): one == other
        case (.real(let one), .real(let other)): one == other
        case (.text(let one), .text(let other)): one.isIdentical(to: other)
        case (.blob(let one), .blob(let other)): one == other
        case (.null, _), (.integer, _), (.real, _), (.text, _), (.blob, _): false
        }
    }
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
