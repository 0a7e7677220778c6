package import VigilStorage

/// A value other than NULL. Values equal to SQLite under a collation have equal keys.
///
/// `StorageValue` compares differently: Swift compares strings by characters, SQLite by bytes; and in Swift,
/// the integer 5 is not equal to the real 5.0.
enum ComparisonKey: Sendable, Hashable {
    case integer(Int64)
    /// A number not equal to any `Int64`.
    case real(Double)
    /// Bytes, transformed by the collation as in ``ComparedValue``.
    case text([UInt8])
    case blob([UInt8])

    /// Returns `nil` for NULL, and for NaN, because SQLite stores it as NULL.
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
                    withCollated(bytes, by: collation) { Array($0) }
                })
        case .blob(let bytes): self = .blob(bytes)
        }
    }

    var isText: Bool {
        if case .text = self { true } else { false }
    }

    func withCompared<Result>(_ body: (ComparedValue) -> Result) -> Result {
        switch self {
        case .integer(let integer): body(.integer(integer))
        case .real(let real): body(.real(real))
        case .text(let bytes): bytes.withUnsafeBytes { body(.text($0)) }
        case .blob(let bytes): bytes.withUnsafeBytes { body(.blob($0)) }
        }
    }

    /// Returns a negative number, 0 or a positive one if this key comes before, equals or follows the other.
    func order(_ other: ComparisonKey) -> Int {
        if case .integer(let a) = self, case .integer(let b) = other { return a < b ? -1 : a > b ? 1 : 0 }
        return withCompared { $0.order(other) }
    }
}

/// A value other than NULL to compare with keys. It borrows its bytes, so looking up a row allocates nothing.
///
/// Numbers come before text, text before blobs. Text compares by its bytes, transformed by the collation.
enum ComparedValue {
    case integer(Int64)
    /// A number not equal to any `Int64`.
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

    /// Returns a negative number, 0 or a positive one if the value comes before, equals or follows the key.
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

    /// Returns whether the value is text beginning with these bytes, or not text.
    func begins(with prefix: [UInt8]) -> Bool {
        guard case .text(let bytes) = self else { return true }
        return bytes.starts(with: prefix)
    }

    /// Compares exactly, even if a `Double` cannot distinguish two integers.
    private static func order(_ integer: Int64, _ real: Double) -> Int {
        if real >= 0x1p63 { return -1 }
        if real < -0x1p63 { return 1 }
        let whole = Int64(real)
        if integer != whole { return integer < whole ? -1 : 1 }
        let rest = real - Double(whole)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }

    /// A hash value. Equal values have equal hashes, and others rarely do. The hash of an integer is the
    /// integer, so hash it again as a dictionary does.
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
    /// Calls `body` with the value transformed by a collation; with `nil` for NULL.
    func withCompared<Result>(
        _ collation: RowCondition.Collation, _ body: (ComparedValue?) -> Result
    ) -> Result {
        switch kind {
        case .null: body(nil)
        case .integer: body(.integer(integer))
        case .real:
            real.isNaN ? body(nil) : body(Int64(exactly: real).map { .integer($0) } ?? .real(real))
        case .text: withCollated(bytes, by: collation) { body(.text($0)) }
        case .blob: body(.blob(bytes))
        }
    }
}

/// Calls `body` with bytes in the order of the collation: compare them byte by byte, then by length.
package func withCollated<Result>(
    _ text: UnsafeRawBufferPointer, by collation: RowCondition.Collation,
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
            // SQLite compares no bytes after a zero byte, but does compare the length.
            var isOver = false
            for index in 0..<text.count {
                isOver = isOver || text[index] == 0
                folded[index] = isOver ? 0 : text[index].asciiLowercased
            }
            return body(UnsafeRawBufferPointer(folded))
        }
    }
}
