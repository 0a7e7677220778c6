/// One value of a row, where the backend has it: text and blobs are borrowed, not copied.
///
/// Valid as long as the row is current; see ``StorageStatement/row``.
@frozen
public struct StorageCell {
    public let kind: StorageValueKind
    @usableFromInline let bits: UInt64
    @usableFromInline let count: Int

    @inlinable  // bench: decode-rows
    init(kind: StorageValueKind, bits: UInt64, count: Int) {
        self.kind = kind
        self.bits = bits
        self.count = count
    }

    @inlinable  // bench: decode-rows
    public static var null: StorageCell { StorageCell(kind: .null, bits: 0, count: 0) }

    @inlinable  // bench: decode-rows
    public init(integer: Int64) {
        self.init(kind: .integer, bits: UInt64(bitPattern: integer), count: 0)
    }

    @inlinable  // bench: decode-rows
    public init(real: Double) {
        self.init(kind: .real, bits: real.bitPattern, count: 0)
    }

    /// Borrows UTF-8 text that stays in place while the row is current.
    @inlinable  // bench: decode-rows
    public init(borrowingText utf8: UnsafeRawBufferPointer) {
        self.init(
            kind: .text, bits: UInt64(UInt(bitPattern: utf8.baseAddress)), count: utf8.count)
    }

    /// Borrows bytes that stay in place while the row is current.
    @inlinable  // bench: decode-rows
    public init(borrowingBlob bytes: UnsafeRawBufferPointer) {
        self.init(
            kind: .blob, bits: UInt64(UInt(bitPattern: bytes.baseAddress)), count: bytes.count)
    }

    /// The value of an integer cell. Meaningless for other kinds.
    @inlinable  // bench: decode-rows
    public var integer: Int64 { Int64(bitPattern: bits) }

    /// The value of a real cell. Meaningless for other kinds.
    @inlinable  // bench: decode-rows
    public var real: Double { Double(bitPattern: bits) }

    /// The bytes of a text or blob cell. Meaningless for other kinds.
    @inlinable  // bench: decode-rows
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(bits)), count: count)
    }

    /// The text of a text cell, copied. Bytes that are no UTF-8 are repaired.
    @inlinable  // bench: decode-rows
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The value, copied.
    public var value: StorageValue {
        switch kind {
        case .null: .null
        case .integer: .integer(integer)
        case .real: .real(real)
        case .text: .text(text)
        case .blob: .blob(Array(bytes))
        }
    }

    /// Whether two cells hold the same value of the same kind, bit for bit.
    public func isIdentical(to other: StorageCell) -> Bool {
        guard kind == other.kind else { return false }
        switch kind {
        case .null: return true
        case .integer, .real: return bits == other.bits
        case .text, .blob: return bytes.elementsEqual(other.bytes)
        }
    }
}

/// The cells of a statement's current row: allocated once per statement, filled at each step.
public final class StorageRow {
    /// As many as ``count``. The backend writes them; everybody else reads.
    public let cells: UnsafeMutablePointer<StorageCell>
    public let count: Int

    public init(count: Int) {
        self.count = count
        cells = .allocate(capacity: count)
        cells.initialize(repeating: .null, count: count)
    }

    deinit {
        cells.deinitialize(count: count)
        cells.deallocate()
    }

    @inlinable  // bench: decode-rows
    public subscript(index: Int) -> StorageCell {
        precondition(index >= 0 && index < count, "column index out of range")
        return cells[index]
    }
}
