import VigilStorage

extension DatabaseValue: Hashable {
    /// Whether a database takes both for the same value: numbers compare exactly, whatever their kind
    /// (`1 == 1.0`, but 2⁵³ + 1 is no real), text and blobs compare by their bytes.
    ///
    /// NULL equals NULL here, and NaN equals NaN.
    public static func == (a: DatabaseValue, b: DatabaseValue) -> Bool {
        switch (a.storageValue, b.storageValue) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a == b || (a.isNaN && b.isNaN)
        case (.integer(let integer), .real(let real)), (.real(let real), .integer(let integer)):
            Int64(exactly: real) == integer
        // By bytes, because Swift takes "é" in one and in two code points for equal, databases do not.
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        case (.blob(let a), .blob(let b)): a == b
        default: false
        }
    }

    /// Equal numbers have equal hashes, whatever their kind.
    public func hash(into hasher: inout Hasher) {
        switch storageValue {
        case .null: hasher.combine(0)
        case .integer(let integer): hasher.combine(integer)
        case .real(let real): Self.hash(real, into: &hasher)
        case .text(let text): Self.hash(text, into: &hasher)
        case .blob(let bytes): hasher.combine(bytes)
        }
    }

    private static func hash(_ real: Double, into hasher: inout Hasher) {
        if let integer = Int64(exactly: real) {
            hasher.combine(integer)
        } else {
            hasher.combine(real.isNaN ? Double.nan.bitPattern : real.bitPattern)
        }
    }

    private static func hash(_ text: String, into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }

    /// Whether a statement cannot tell the two apart: same kind, same bits.
    ///
    /// `==` is not enough to take one query for another: `3 / 2` and `3 / 2.0` differ.
    package func isIdentical(to other: DatabaseValue) -> Bool {
        switch (storageValue, other.storageValue) {
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        case (.integer, .real), (.real, .integer): false
        default: self == other
        }
    }
}
