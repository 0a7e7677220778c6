import VigilStorage

/// The header of the index of a write-ahead log, in shared memory
/// (https://www.sqlite.org/walformat.html, 2.1).
package struct WALIndexHeader: Hashable {
    /// The number of bytes to read: two copies of the header, then the state of checkpoints.
    package static let size = 136

    /// A number that each transaction changes.
    package let changeCounter: UInt32
    package let pageSize: Int
    /// The last valid frame; 0 if the log is empty.
    package let lastFrame: UInt32
    /// The number of pages of the database.
    package let pageCount: UInt32
    /// Identifies the log since its last restart, in the byte order of the log.
    package let salts: UInt64

    /// Creates a header from a copy of the first 136 bytes of shared memory.
    ///
    /// `nil` if the header was being written, is not initialized, or has an unknown version.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.size, let copies = Self.copies(bytes),
            copies.0.isIdentical(to: copies.1)
        else { return nil }
        let header = copies.0
        func uint32(_ offset: Int) -> UInt32 { header.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        guard uint32(0) == 3_007_000, header[12] == 1 else { return nil }
        var checksum: (UInt32, UInt32) = (0, 0)
        for offset in stride(from: 0, to: 40, by: 8) {
            checksum.0 &+= uint32(offset) &+ checksum.1
            checksum.1 &+= uint32(offset + 4) &+ checksum.0
        }
        guard checksum == (uint32(40), uint32(44)) else { return nil }
        let size = header.loadUnaligned(fromByteOffset: 14, as: UInt16.self)
        changeCounter = uint32(8)
        pageSize = size == 1 ? 65536 : Int(size)
        lastFrame = uint32(16)
        pageCount = uint32(20)
        salts = header.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
    }

    /// Returns the number of frames that a checkpoint has copied to the database file, from the same bytes.
    package static func backfilledFrames(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        bytes.count >= size ? bytes.loadUnaligned(fromByteOffset: 96, as: UInt32.self) : 0
    }

    private static func copies(
        _ bytes: UnsafeRawBufferPointer
    ) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer)? {
        let bytes = PageBytes(bytes)
        guard let first = try? bytes.slice(at: 0, count: 48), let second = try? bytes.slice(at: 48, count: 48)
        else { return nil }
        return (first, second)
    }
}
