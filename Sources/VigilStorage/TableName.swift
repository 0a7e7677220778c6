/// The name of a table, with its schema.
///
/// ```swift
/// let player = TableName(name: "player")  // in the schema main
/// let draft = TableName(schema: "temp", name: "draft")
/// ```
///
/// Names compare as in SQLite, by UTF-8 bytes without the case of ASCII letters, and keep their spelling.
public struct TableName: Sendable {
    /// The name of the schema: of the database on the connection, `main`, `temp`, or an attached one.
    public let schema: String
    /// The name of the table, without its schema.
    public let name: String
    /// Computed once, because names are hashed for every changed row.
    @usableFromInline let hash: Int

    /// Creates the name of a table.
    public init(schema: String = "main", name: String) {
        self.schema = schema
        self.name = name
        hash = Self.foldedHash(schema) &* 31 &+ Self.foldedHash(name)
    }

    /// FNV-1a of the bytes, with ASCII letters in lower case.
    private static func foldedHash(_ string: String) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in string.utf8 {
            hash = (hash ^ UInt64(byte.asciiLowercased)) &* 0x0000_0100_0000_01b3
        }
        return Int(truncatingIfNeeded: hash)
    }
}

extension TableName: Hashable {
    /// Returns whether two names denote the same table.
    @inlinable  // bench: one-row-hit
    public static func == (a: TableName, b: TableName) -> Bool { a.hash == b.hash && a.hasSameNames(as: b) }

    @usableFromInline
    func hasSameNames(as other: TableName) -> Bool {
        name.isSameName(as: other.name) && schema.isSameName(as: other.schema)
    }

    /// Hashes the name, ignoring the case of ASCII letters.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

extension TableName {
    /// Returns whether two names are spelled alike.
    package func isIdentical(to other: TableName) -> Bool {
        name.isIdentical(to: other.name) && schema.isIdentical(to: other.schema)
    }

    /// Returns whether the table comes before another one in the order of names, then of schemas. Like `==`,
    /// it compares UTF-8 bytes: strings that differ can be canonically equivalent, and then neither is less
    /// than the other.
    package func precedes(_ other: TableName) -> Bool {
        if !name.isSameName(as: other.name) {
            return name.foldedName.utf8.lexicographicallyPrecedes(other.name.foldedName.utf8)
        }
        return schema.foldedName.utf8.lexicographicallyPrecedes(other.schema.foldedName.utf8)
    }
}

extension TableName: CustomStringConvertible {
    /// The name, preceded by its schema unless it is `main`.
    public var description: String {
        schema.isSameName(as: "main") ? name : "\(schema).\(name)"
    }
}

extension UInt8 {
    /// The byte, in lower case if it is an ASCII letter.
    package var asciiLowercased: UInt8 {
        self >= 0x41 && self <= 0x5A ? self + 0x20 : self
    }
}

extension String {
    /// Returns whether two names are equal by their bytes, ignoring the case of ASCII letters.
    package func isSameName(as other: String) -> Bool {
        if hasSameRepresentation(as: other) { return true }
        guard utf8.count == other.utf8.count else { return false }
        return hasIdenticalBytes(to: other)
            || zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// The name with ASCII letters in lower case: equal names have the same folded name.
    package var foldedName: String {
        utf8.contains { $0 != $0.asciiLowercased }
            ? String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) : self
    }
}
