/// A value in a database.
public enum StorageValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// The kinds of values, in the order in which mixed values sort.
public enum StorageValueKind: UInt8, Sendable {
    case null
    case integer
    case real
    case text
    case blob
}
