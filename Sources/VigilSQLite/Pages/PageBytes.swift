/// Bytes of a page or record. All reads check the bounds.
struct PageBytes {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    func uint8(at offset: Int) throws(PageError) -> UInt8 {
        guard offset >= 0, offset < bytes.count else { throw .malformed }
        return bytes[offset]
    }

    func uint16(at offset: Int) throws(PageError) -> Int {
        guard offset >= 0, offset <= bytes.count - 2 else { throw .malformed }
        return Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    func uint32(at offset: Int) throws(PageError) -> UInt32 {
        guard offset >= 0, offset <= bytes.count - 4 else { throw .malformed }
        return UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Reads a number of 1 to 9 bytes, and advances the offset.
    func varint(at offset: inout Int) throws(PageError) -> UInt64 {
        var value: UInt64 = 0
        for _ in 0..<8 {
            let byte = try uint8(at: offset)
            offset += 1
            value = value << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { return value }
        }
        value = try value << 8 | UInt64(uint8(at: offset))
        offset += 1
        return value
    }

    func slice(at offset: Int, count: Int) throws(PageError) -> UnsafeRawBufferPointer {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
            throw .malformed
        }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }
}

extension UnsafeRawBufferPointer {
    /// A hash of the bytes, the same in each process.
    var stableHash: Int64 {
        var hash = UInt64(truncatingIfNeeded: count) &* 0x9e37_79b9_7f4a_7c15
        var offset = 0
        while offset + 8 <= count {
            hash = (hash ^ loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0xff51_afd7_ed55_8ccd
            hash ^= hash >> 32
            offset += 8
        }
        while offset < count {
            hash = (hash ^ UInt64(self[offset])) &* 0x0000_0100_0000_01b3
            offset += 1
        }
        return Int64(bitPattern: hash ^ hash >> 29)
    }
}
