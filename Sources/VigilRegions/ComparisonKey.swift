import VigilStorage

/// A value that is not NULL, such that values that SQLite finds equal under a collation are one key.
///
/// `StorageValue` will not do: Swift takes strings with the same characters for equal, SQLite those with the same
/// bytes; and 5 is not 5.0 to Swift.
enum ComparisonKey: Sendable, Hashable {
    case integer(Int64)
    /// A number that no `Int64` equals.
    case real(Double)
    /// Bytes, as ``ComparedValue`` has them under the collation.
    case text([UInt8])
    case blob([UInt8])

    /// `nil` for NULL, and for what is not a number, which SQLite stores as NULL.
    init?(_ value: StorageValue, _ collation: RowCondition.Collation) {
        switch value {
        case .null: return nil
        case .integer(let integer): self = .integer(integer)
        case .real(let real):
            if real.isNaN { return nil }
            self = Int64(exactly: real).map { .integer($0) } ?? .real(real)
        case .text(let text):
            self = .text(
                Array(text.utf8).withUnsafeBytes { bytes in
                    withCollated(bytes, collation) { Array($0) }
                })
        case .blob(let bytes): self = .blob(bytes)
        }
    }

    var isText: Bool {
        if case .text = self { true } else { false }
    }

    /// The number of bytes that it has beyond its own size.
    var byteCount: Int {
        switch self {
        case .integer, .real: 0
        case .text(let bytes), .blob(let bytes): bytes.count
        }
    }

    func withCompared<Result>(_ body: (ComparedValue) -> Result) -> Result {
        switch self {
        case .integer(let integer): body(.integer(integer))
        case .real(let real): body(.real(real))
        case .text(let bytes): bytes.withUnsafeBytes { body(.text($0)) }
        case .blob(let bytes): bytes.withUnsafeBytes { body(.blob($0)) }
        }
    }

    /// Negative, 0 or positive, as this key is before, equal to or after the other one.
    func order(_ other: ComparisonKey) -> Int {
        if case .integer(let a) = self, case .integer(let b) = other { return a < b ? -1 : a > b ? 1 : 0 }
        return withCompared { $0.order(other) }
    }
}

/// A value that is not NULL, ready to be compared with keys: borrowed from where it is, so that nothing is
/// allocated to look a row up.
///
/// Numbers come before text, text before blobs. Text compares by its bytes, which are therefore not those of the
/// value but what the collation makes of them.
enum ComparedValue {
    case integer(Int64)
    /// A number that no `Int64` equals.
    case real(Double)
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)

    private var rank: Int {
        switch self {
        case .integer, .real: 0
        case .text: 1
        case .blob: 2
        }
    }

    var isText: Bool {
        if case .text = self { true } else { false }
    }

    /// Negative, 0 or positive, as the value is before, equal to or after the key.
    func order(_ key: ComparisonKey) -> Int {
        switch (self, key) {
        case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.real(let a), .real(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.integer(let a), .real(let b)): Self.order(a, b)
        case (.real(let a), .integer(let b)): -Self.order(b, a)
        case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)):
            b.withUnsafeBytes { compareBytes(a, $0) }
        default: rank - key.withCompared(\.rank)
        }
    }

    /// Whether it is text that begins with these bytes, or no text at all.
    func begins(with prefix: [UInt8]) -> Bool {
        guard case .text(let bytes) = self else { return true }
        return bytes.starts(with: prefix)
    }

    /// Exact, also where a `Double` cannot tell two integers apart.
    private static func order(_ integer: Int64, _ real: Double) -> Int {
        if real >= 0x1p63 { return -1 }
        if real < -0x1p63 { return 1 }
        let whole = Int64(real)
        if integer != whole { return integer < whole ? -1 : 1 }
        let rest = real - Double(whole)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }

    /// The same for values that are equal; seldom for others. To be hashed again by whoever keeps it.
    var hash: Int {
        switch self {
        case .integer(let integer): return Int(truncatingIfNeeded: integer)
        case .real(let real): return Int(truncatingIfNeeded: real.bitPattern)
        case .text(let bytes), .blob(let bytes):
            var hasher = Hasher()
            hasher.combine(bytes: bytes)
            return hasher.finalize()
        }
    }
}

extension StorageCell {
    /// Calls `body` with the value as it compares under a collation; with `nil` for NULL.
    func withCompared<Result>(
        _ collation: RowCondition.Collation, _ body: (ComparedValue?) -> Result
    ) -> Result {
        switch kind {
        case .null: body(nil)
        case .integer: body(.integer(integer))
        case .real:
            real.isNaN ? body(nil) : body(Int64(exactly: real).map { .integer($0) } ?? .real(real))
        case .text: withCollated(bytes, collation) { body(.text($0)) }
        case .blob: body(.blob(bytes))
        }
    }
}

/// Calls `body` with bytes that compare, one by one and then by their number, as the collation compares the text.
func withCollated<Result>(
    _ text: UnsafeRawBufferPointer, _ collation: RowCondition.Collation,
    _ body: (UnsafeRawBufferPointer) -> Result
) -> Result {
    switch collation {
    case .binary:
        return body(text)
    case .rtrim:
        var count = text.count
        while count > 0, text[count - 1] == 0x20 { count -= 1 }
        return body(UnsafeRawBufferPointer(rebasing: text[..<count]))
    case .nocase:
        return withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { folded in
            // SQLite looks at no byte after a zero byte, but still at the length.
            var isOver = false
            for index in 0..<text.count {
                isOver = isOver || text[index] == 0
                folded[index] = isOver ? 0 : text[index].asciiLowercased
            }
            return body(UnsafeRawBufferPointer(folded))
        }
    }
}

/// Byte by byte, then by length: negative, 0 or positive.
private func compareBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let count = min(a.count, b.count)
    var index = 0
    while index + 8 <= count {
        let one = a.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let two = b.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if one != two { return one.bigEndian < two.bigEndian ? -1 : 1 }
        index += 8
    }
    while index < count {
        if a[index] != b[index] { return a[index] < b[index] ? -1 : 1 }
        index += 1
    }
    return a.count - b.count
}
