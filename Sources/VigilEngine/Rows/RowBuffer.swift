import VigilStorage

/// The rows of a statement that runs to its end before it returns the first one.
final class RowBuffer {
    /// The rows and their memory.
    struct Content: ~Copyable {
        /// The greatest size of memory for several rows, in bytes.
        private static let largestBlock = 65_536
        /// The greatest number of expected rows to allocate memory for.
        private static let expectedLimit = 1_024

        fileprivate var rows: [UnsafeMutablePointer<StorageCell>] = []
        /// The memory of the rows.
        private var blocks: [UnsafeMutableRawPointer] = []
        /// The unused part of the last block.
        private var free: UnsafeMutableRawBufferPointer
        private var expectedCount: Int
        private(set) var byteCount = 0

        /// - Parameter rowCount: the expected number of rows.
        init(rowCount: Int = 0) {
            if rowCount > 0 { rows.reserveCapacity(rowCount) }
            expectedCount = max(1, rowCount)
            free = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        }

        deinit {
            for block in blocks { PackedCells.deallocate(block) }
        }

        var count: Int { rows.count }

        mutating func append(_ row: StorageRow) { append(row.cells, count: row.count) }

        mutating func append(_ cells: UnsafePointer<StorageCell>, count: Int) {
            let memory = reserve(PackedCells.byteCount(cells, count: count))
            rows.append(PackedCells.copy(cells, count: count, to: memory))
        }

        /// Adds the values of a packed row.
        mutating func append(_ packed: UnsafeRawBufferPointer, columnCount: Int) {
            // Packed texts and blobs are not shorter.
            let size = columnCount * MemoryLayout<StorageCell>.stride + packed.count
            let memory = reserve(size)
            rows.append(PackedCells.unpack(packed, count: columnCount, to: memory))
        }

        /// Returns memory for a row.
        private mutating func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer {
            let alignment = MemoryLayout<StorageCell>.alignment
            let size = (max(1, byteCount) + alignment - 1) & ~(alignment - 1)
            if size > free.count { addBlock(for: size) }
            defer { free = UnsafeMutableRawBufferPointer(rebasing: free[size...]) }
            return free.baseAddress.unsafelyUnwrapped
        }

        /// Adds memory for the expected rows, or as large as all rows before: many rows need few blocks.
        private mutating func addBlock(for size: Int) {
            // A large size must not overflow.
            let expected = min(size, Self.largestBlock) * min(expectedCount, Self.expectedLimit)
            let rest = self.byteCount == 0 ? expected : self.byteCount
            let count = max(size, min(rest, Self.largestBlock))
            let block = PackedCells.allocate(count)
            blocks.append(block)
            free = UnsafeMutableRawBufferPointer(start: block, count: count)
            byteCount += count
        }
    }

    private let content: Content

    init(_ content: consuming Content) { self.content = content }

    var count: Int { content.rows.count }
    /// The memory of the rows, in bytes.
    var byteCount: Int { content.byteCount }

    subscript(index: Int) -> UnsafeMutablePointer<StorageCell> { content.rows[index] }

    /// Returns whether another buffer has the same rows, bit by bit.
    func isIdentical(to other: RowBuffer, columnCount: Int) -> Bool {
        count == other.count
            && zip(content.rows, other.content.rows).allSatisfy { row, other in
                (0..<columnCount).allSatisfy { row[$0].isIdentical(to: other[$0]) }
            }
    }

    func forEach(_ body: (UnsafePointer<StorageCell>) -> Void) {
        for row in content.rows { body(row) }
    }
}

/// The rows that a run returns from memory.
struct HeldRows {
    /// The greatest size of a buffer whose memory copied rows share: any of them keeps all of it.
    private static let sharedByteCount = 16_384

    private let buffer: RowBuffer
    /// The current row of the statement.
    private let row: StorageRow
    /// The number of rows returned so far.
    private var count = 0

    init(_ buffer: RowBuffer, row: StorageRow) {
        (self.buffer, self.row) = (buffer, row)
    }

    /// Copies the next row's cells to the current row, which borrows text and blobs. Returns `false` after
    /// the last.
    mutating func moveNext() -> Bool {
        guard count < buffer.count else { return false }
        row.cells.update(from: buffer[count], count: row.count)
        count += 1
        return true
    }

    /// Returns the memory of the current row, and its owner, for an independent row.
    ///
    /// - Parameter cells: the current cells of the row to copy.
    func shared(
        _ cells: UnsafeMutablePointer<StorageCell>
    ) -> (cells: UnsafeMutablePointer<StorageCell>, owner: RowBuffer)? {
        guard count > 0, cells == row.cells, buffer.byteCount <= Self.sharedByteCount else { return nil }
        return (buffer[count - 1], buffer)
    }
}
