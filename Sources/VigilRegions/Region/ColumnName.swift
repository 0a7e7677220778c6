import VigilStorage

/// The name of a column. Names compare ignoring the case of ASCII letters, and keep their spelling.
package struct ColumnName: Sendable {
    package let spelling: String
    /// Computed once, because it determines the order of sets of columns, and columns are looked up for every
    /// changed row.
    private let hash: UInt64

    package init(_ spelling: String) {
        self.spelling = spelling
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in spelling.utf8 {
            hash = (hash ^ UInt64(byte.asciiLowercased)) &* 0x0000_0100_0000_01b3
        }
        self.hash = hash
    }

    /// The name of a row id without a column.
    package static let rowID = ColumnName("ROWID")

    /// Returns whether the name comes before another one, in an arbitrary order for merging sets.
    func precedes(_ other: ColumnName) -> Bool {
        if hash != other.hash { return hash < other.hash }
        return self != other
            && spelling.foldedName.utf8.lexicographicallyPrecedes(other.spelling.foldedName.utf8)
    }
}

extension ColumnName: Hashable {
    package static func == (a: ColumnName, b: ColumnName) -> Bool {
        a.hash == b.hash && a.spelling.isSameName(as: b.spelling)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}
