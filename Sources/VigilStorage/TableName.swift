/// The name of a table with its schema. Names compare as SQLite compares them, ignoring the case of
/// ASCII letters, and keep the spelling that they came with.
public struct TableName: Sendable {
    public let schema: String
    public let name: String
    /// Computed once: names are hashed for every changed row.
    private let hash: Int

    public init(schema: String = "main", name: String) {
        self.schema = schema
        self.name = name
        hash = Self.foldedHash(schema) &* 31 &+ Self.foldedHash(name)
    }

    /// FNV-1a over the bytes, upper-case ASCII letters folded to lower case.
    private static func foldedHash(_ string: String) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in string.utf8 {
            hash = (hash ^ UInt64(byte.asciiLowercased)) &* 0x0000_0100_0000_01b3
        }
        return Int(truncatingIfNeeded: hash)
    }
}

extension TableName: Hashable {
    public static func == (a: TableName, b: TableName) -> Bool {
        a.hash == b.hash && a.name.isSameName(as: b.name) && a.schema.isSameName(as: b.schema)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

extension TableName: CustomStringConvertible {
    /// The name; with its schema in front unless that is `main`.
    public var description: String {
        schema.isSameName(as: "main") ? name : "\(schema).\(name)"
    }
}

extension UInt8 {
    /// The byte, or its lower-case counterpart if it is an upper-case ASCII letter.
    package var asciiLowercased: UInt8 {
        self >= 0x41 && self <= 0x5A ? self + 0x20 : self
    }
}

extension String {
    /// Whether two names of tables or columns are the same name: byte by byte, but for the case of ASCII letters.
    package func isSameName(as other: String) -> Bool {
        if isIdentical(to: other) { return true }
        return utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// The spelling under which names that are the same name meet in a set or dictionary.
    package var foldedName: String {
        utf8.contains { $0 != $0.asciiLowercased }
            ? String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) : self
    }
}
