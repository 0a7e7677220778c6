extension StorageValue {
    /// Returns -1, 0 or 1 if this value sorts before, equal to or after another one.
    ///
    /// The order is SQLite's: NULL, then numbers by value, then texts by their UTF-8 bytes, then blobs.
    package func order(to other: StorageValue) -> Int {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): Self.order(a, b)
        case (.real(let a), .real(let b)): Self.order(a, b)
        case (.integer(let a), .real(let b)): Self.order(integer: a, real: b)
        case (.real(let a), .integer(let b)): -Self.order(integer: b, real: a)
        case (.text(let a), .text(let b)): Self.order(bytes: a.utf8, b.utf8)
        case (.blob(let a), .blob(let b)): Self.order(bytes: a, b)
        default: Self.order(rank, other.rank)
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private static func order<T: Comparable>(_ a: T, _ b: T) -> Int {
        a < b ? -1 : a > b ? 1 : 0
    }

    /// Compares exactly, even if a `Double` cannot represent the integer.
    private static func order(integer: Int64, real: Double) -> Int {
        guard real < 0x1p63 else { return -1 }
        guard real >= -0x1p63 else { return 1 }
        let whole = Int64(real)
        return integer == whole ? order(Double(whole), real) : order(integer, whole)
    }

    private static func order<A: Sequence, B: Sequence>(bytes a: A, _ b: B) -> Int
    where A.Element == UInt8, B.Element == UInt8 {
        var others = b.makeIterator()
        for byte in a {
            guard let other = others.next() else { return 1 }
            if byte != other { return byte < other ? -1 : 1 }
        }
        return others.next() == nil ? 0 : -1
    }
}
