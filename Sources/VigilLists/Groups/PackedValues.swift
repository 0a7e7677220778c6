package import VigilStorage

/// Values of rows as bytes, exactly as the database returned them.
///
/// A value begins with a byte for its kind. A small integer takes few bytes: a contribution is stored for
/// each row.
package enum PackedValues {
    private enum Kind {
        static let null: UInt8 = 0
        /// An integer without bytes, which is zero. The next kinds have 1 to 8 bytes.
        static let integer: UInt8 = 1
        static let real: UInt8 = 10
        static let text: UInt8 = 11
        static let blob: UInt8 = 12
    }

    /// Appends a value.
    package static func append(_ cell: StorageCell, to bytes: inout [UInt8]) {
        switch cell.kind {
        case .null: bytes.append(Kind.null)
        case .integer: append(cell.integer, to: &bytes)
        case .real:
            bytes.append(Kind.real)
            withUnsafeBytes(of: cell.real.bitPattern.bigEndian) { bytes.append(contentsOf: $0) }
        case .text, .blob:
            bytes.append(cell.kind == .text ? Kind.text : Kind.blob)
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: cell.bytes.count).bigEndian) {
                bytes.append(contentsOf: $0)
            }
            bytes.append(contentsOf: cell.bytes)
        }
    }

    private static func append(_ integer: Int64, to bytes: inout [UInt8]) {
        // One bit is the sign.
        let count = integer == 0 ? 0 : 8 - max(0, integer.magnitude.leadingZeroBitCount - 1) / 8
        bytes.append(Kind.integer + UInt8(count))
        for place in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: integer >> (8 * place)))
        }
    }

    /// Reads the value at an offset, and moves the offset behind it. A text or blob borrows the bytes.
    package static func read(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) -> StorageCell {
        let kind = bytes[offset]
        offset += 1
        switch kind {
        case Kind.null: return .null
        case Kind.real:
            let bits = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
            return StorageCell(real: Double(bitPattern: bits))
        case Kind.text, Kind.blob:
            let count = Int(
                UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            let content = UnsafeRawBufferPointer(rebasing: bytes[(offset + 4)..<(offset + 4 + count)])
            offset += 4 + count
            return kind == Kind.text
                ? StorageCell(borrowingText: content) : StorageCell(borrowingBlob: content)
        default:
            let count = Int(kind - Kind.integer)
            guard count > 0 else { return StorageCell(integer: 0) }
            var integer = Int64(Int8(bitPattern: bytes[offset]))
            for place in (offset + 1)..<(offset + count) { integer = integer << 8 | Int64(bytes[place]) }
            offset += count
            return StorageCell(integer: integer)
        }
    }

    /// Appends values to an array of cells, which borrow the bytes. Returns the offset behind the last one.
    static func read(
        _ count: Int, of bytes: UnsafeRawBufferPointer, from start: Int = 0, to cells: inout [StorageCell]
    ) -> Int {
        var offset = start
        for _ in 0..<count { cells.append(read(bytes, at: &offset)) }
        return offset
    }
}
