import VigilStorage

extension DatabaseValue: Hashable {
    /// Returns whether databases consider two values equal. Numbers are compared exactly, even if one is an
    /// integer and the other a real: `1 == 1.0`, but no real equals 2⁵³ + 1. Text and blobs are compared by
    /// bytes.
    ///
    /// Unlike in SQL, NULL equals NULL, and NaN equals NaN.
    public static func == (a: DatabaseValue, b: DatabaseValue) -> Bool {
        switch (a.storageValue, b.storageValue) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a == b || (a.isNaN && b.isNaN)
        case (.integer(let integer), .real(let real)), (.real(let real), .integer(let integer)):
            Int64(exactly: real) == integer
        // Text is compared by bytes, as databases do: `String` considers "é" with one and with two code
        // points equal.
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        case (.blob(let a), .blob(let b)): a == b
        default: false
        }
    }

    /// Hashes the value. Equal numbers have equal hashes, even if one is an integer and the other a real.
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

    /// Returns whether two values are of the same kind, with the same bits, so that no statement can
    /// distinguish them.
    ///
    /// Equality is not sufficient to consider two queries identical: `3 / 2` and `3 / 2.0` differ.
    package func isIdentical(to other: DatabaseValue) -> Bool {
        switch (storageValue, other.storageValue) {
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        case (.integer, .real), (.real, .integer): false
        default: self == other
        }
    }
}

extension DatabaseValue {
    /// The size in bytes of a text or blob; 0 for other values.
    var byteCount: Int {
        switch storageValue {
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        case .null, .integer, .real: 0
        }
    }
}
