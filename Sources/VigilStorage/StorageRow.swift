/// One value of a row. Text and blobs are borrowed from the backend's memory, not copied.
///
/// A cell of a statement's row is valid as long as the row is current, see ``StorageStatement/row``. A cell
/// of a changed row is valid until ``ChangeSink/didChange(_:)`` returns. To keep a value for longer, copy it
/// with ``value``.
@frozen
public struct StorageCell {
    /// The kind of the value. It decides which property holds the value.
    public let kind: StorageValueKind
    @usableFromInline let isNumericText: Bool
    @usableFromInline let bits: UInt64
    @usableFromInline let count: Int

    @inlinable  // bench: decode-rows
    init(kind: StorageValueKind, bits: UInt64, count: Int, isNumericText: Bool = false) {
        self.kind = kind
        self.isNumericText = isNumericText
        self.bits = bits
        self.count = count
    }

    /// A cell with NULL.
    @inlinable  // bench: decode-rows
    public static var null: StorageCell { StorageCell(kind: .null, bits: 0, count: 0) }

    /// Creates a cell with an integer.
    @inlinable  // bench: decode-rows
    public init(integer: Int64) {
        self.init(kind: .integer, bits: UInt64(bitPattern: integer), count: 0)
    }

    /// Creates a cell with a floating-point number.
    @inlinable  // bench: decode-rows
    public init(real: Double) {
        self.init(kind: .real, bits: real.bitPattern, count: 0)
    }

    /// Creates a cell with borrowed UTF-8 text. The bytes must not move or change while the cell is valid.
    @inlinable  // bench: decode-rows
    public init(borrowingText utf8: UnsafeRawBufferPointer) {
        self.init(
            kind: .text, bits: UInt64(UInt(bitPattern: utf8.baseAddress)), count: utf8.count)
    }

    /// Creates a text cell with the borrowed digits of a decimal number. Readers of text receive all digits,
    /// and readers of numbers the rounded number. The bytes must stay in place and unchanged while the cell
    /// is valid.
    public init(borrowingNumber utf8: UnsafeRawBufferPointer) {
        self.init(
            kind: .text, bits: UInt64(UInt(bitPattern: utf8.baseAddress)), count: utf8.count,
            isNumericText: true)
    }

    /// Creates a cell with a borrowed blob. The bytes must not move or change while the cell is valid.
    @inlinable  // bench: decode-rows
    public init(borrowingBlob bytes: UnsafeRawBufferPointer) {
        self.init(
            kind: .blob, bits: UInt64(UInt(bitPattern: bytes.baseAddress)), count: bytes.count)
    }

    /// The value of an integer cell; has no meaning for other kinds.
    @inlinable  // bench: decode-rows
    public var integer: Int64 { Int64(bitPattern: bits) }

    /// The value of a floating-point cell; has no meaning for other kinds.
    @inlinable  // bench: decode-rows
    public var real: Double { Double(bitPattern: bits) }

    /// The number in a text cell made by ``init(borrowingNumber:)``, rounded; `nil` for other cells.
    public var roundedNumber: Double? {
        kind == .text && isNumericText ? Double(text) : nil
    }

    /// Returns a cell of the same kind that borrows a copy of the bytes of a text or blob cell.
    package func borrowing(_ copy: UnsafeRawBufferPointer) -> StorageCell {
        StorageCell(
            kind: kind, bits: UInt64(UInt(bitPattern: copy.baseAddress)), count: copy.count,
            isNumericText: isNumericText)
    }

    /// The bytes of a text or blob cell, borrowed; has no meaning for other kinds.
    @inlinable  // bench: decode-rows
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(bits)), count: count)
    }

    /// A copy of the text of a text cell. Invalid UTF-8 is replaced by U+FFFD.
    @inlinable  // bench: decode-rows
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// A copy of the value with the same bytes; `nil` for text that is not UTF-8.
    package var exactValue: StorageValue? {
        kind == .text ? String(validating: bytes, as: UTF8.self).map { .text($0) } : value
    }

    /// A copy of the value.
    public var value: StorageValue {
        switch kind {
        case .null: .null
        case .integer: .integer(integer)
        case .real: .real(real)
        case .text: .text(text)
        case .blob: .blob(Array(bytes))
        }
    }

    /// Returns whether two cells hold values of the same kind with the same bits or bytes.
    @inlinable  // bench: one-row-hit
    package func isIdentical(to other: StorageCell) -> Bool {
        guard kind == other.kind else { return false }
        switch kind {
        case .null: return true
        case .integer, .real: return bits == other.bits
        case .text, .blob: return bytes.elementsEqual(other.bytes)
        }
    }
}

extension StorageValue {
    /// Returns a cell with the value. Its text or bytes are those returned by `copy`.
    package func cell(copyingBytes copy: ([UInt8]) -> UnsafeRawBufferPointer) -> StorageCell {
        switch self {
        case .null: .null
        case .integer(let integer): StorageCell(integer: integer)
        case .real(let real): StorageCell(real: real)
        case .text(let text): StorageCell(borrowingText: copy(Array(text.utf8)))
        case .blob(let bytes): StorageCell(borrowingBlob: copy(bytes))
        }
    }
}

/// The cells of a statement's current row.
///
/// A statement allocates one, and ``StorageStatement/step()`` overwrites its cells with each row:
///
/// ```swift
/// func step() throws(StorageError) -> Bool {
///     guard let values = nextValues() else { return false }
///     for (index, value) in values.enumerated() {
///         row.cells[index] = cell(borrowing: value)
///     }
///     return true
/// }
/// ```
public final class StorageRow {
    /// The memory of the cells, ``count`` of them. Only the backend writes to it.
    public let cells: UnsafeMutablePointer<StorageCell>
    /// The number of columns.
    public let count: Int

    /// Creates a row of NULLs.
    public init(count: Int) {
        self.count = count
        cells = .allocate(capacity: count)
        cells.initialize(repeating: .null, count: count)
    }

    deinit {
        cells.deinitialize(count: count)
        cells.deallocate()
    }

    /// Replaces all cells by NULL: the memory that they borrow is about to be freed.
    package func clear() { cells.update(repeating: .null, count: count) }

    /// The cell of a column. The index must be less than ``count``.
    @inlinable  // bench: decode-rows
    public subscript(index: Int) -> StorageCell {
        trap(unless: index >= 0 && index < count, "column index out of range")
        return cells[index]
    }
}
