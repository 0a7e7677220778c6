import VigilStorage

extension StorageValue {
    /// Returns -1, 0 or 1 if this value sorts before, equal to or after another one.
    ///
    /// The order is SQLite's: NULL, then numbers by value, then texts by their UTF-8 bytes, then blobs.
    func order(to other: StorageValue) -> Int {
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
        if real >= 0x1p63 { return -1 }
        if real < -0x1p63 { return 1 }
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

/// The affinity of a column, by SQLite's rules for declared types.
enum SimulatedAffinity: Sendable {
    case blob
    case text
    case numeric
    case integer
    case real

    init(declaredType: String) {
        let type = declaredType.foldedName
        let rules: [(String, SimulatedAffinity)] = [
            ("int", .integer), ("char", .text), ("clob", .text), ("text", .text), ("blob", .blob),
            ("real", .real), ("floa", .real), ("doub", .real),
        ]
        self = rules.first { type.contains($0.0) }?.1 ?? (type.isEmpty ? .blob : .numeric)
    }

    /// Returns the value as a column of this affinity stores and compares it.
    func converted(_ value: StorageValue) -> StorageValue {
        switch (self, value) {
        case (.text, .integer(let integer)): .text(String(integer))
        case (.text, .real(let real)): .text(String(real))
        case (.real, .integer(let integer)): .real(Double(integer))
        case (.integer, .real(let real)), (.numeric, .real(let real)): Self.narrowed(real)
        case (.integer, .text(let text)), (.numeric, .text(let text)): Self.number(text) ?? value
        case (.real, .text(let text)):
            Self.number(text).map { converted($0) } ?? value
        default: value
        }
    }

    private static func narrowed(_ real: Double) -> StorageValue {
        Int64(exactly: real).map { .integer($0) } ?? .real(real)
    }

    private static func number(_ text: String) -> StorageValue? {
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
        return Int64(text).map { .integer($0) } ?? Double(text).map { narrowed($0) }
    }
}
