import VigilStorage

/// The current or last run of a statement.
struct StatementRun {
    /// The number of runs so far. A cursor uses it to detect the end of its run.
    var number = 0
    /// Whether the run is in progress, and holds locks and the current row.
    var isRunning = false
    /// Whether the run may write. Such a run reaches its end in its first step.
    var mayWrite = false
    /// Whether a writing run is in progress. Nothing is committed automatically until it ends.
    var isWriting = false
    /// The value of ``Statement/observed`` when the run began.
    var observed: ObservedStatement?
    /// Whether the cost of the run is measured, to find out whether the result should be kept.
    var isMeasured = false
    /// The rows of a complete run, or of a result in memory, until they are returned.
    var heldRows: RowBuffer?
    /// The bound of the rows that matter, if the reads are recorded at the end of the run.
    var bound: ResultBound?
}

/// The bound that the rows of a run set to the rows that matter.
struct ResultBound {
    let order: ResultOrder
    /// The number of rows after which a complete run has not reached the end of all rows.
    private let limit: Int64?
    private var rowCount: Int64 = 0
    /// The conditions of rows up to the last row of a complete run; `nil` if any row may matter.
    private var conditions: [[RowCondition]]?

    init(_ order: ResultOrder, argument: (Int) -> StorageValue) {
        self.order = order
        let limit: StorageValue? =
            switch order.limit {
            case .value(let value): value
            case .parameter(let index): argument(index)
            case .near, .elements, nil: nil
            }
        if case .integer(let limit) = limit { self.limit = limit } else { self.limit = nil }
    }

    mutating func didRead(_ row: StorageRow) {
        rowCount += 1
        if rowCount == limit { conditions = conditions(upTo: row) }
    }

    /// Returns the conditions of the rows that matter; `nil` if any row may.
    ///
    /// - Parameter last: the last row, if the run ends before its end.
    func conditions(through last: StorageRow?) -> [[RowCondition]]? {
        guard let last, rowCount > 0 else { return conditions }
        return conditions(upTo: last)
    }

    /// After a change of the schema, the row can have other columns than expected.
    private func conditions(upTo row: StorageRow) -> [[RowCondition]]? {
        guard order.resultColumn < row.count else { return nil }
        return order.conditions(through: row[order.resultColumn])
    }
}

/// The rows of a statement that runs to its end before it returns the first one.
final class RowBuffer {
    /// Rows that belong to no buffer yet. In one place, because each access to a property of an object is
    /// checked (bench: group-update).
    struct Content {
        /// The greatest size of memory for several rows, in bytes.
        private static let largestBlock = 65_536

        fileprivate var rows: [UnsafeMutablePointer<StorageCell>] = []
        /// The memory of the rows.
        fileprivate var blocks: [UnsafeMutableRawPointer] = []
        /// The unused part of the last block.
        private var free = 0..<0
        fileprivate var byteCount = 0

        init() {}

        /// - Parameter rowCount: the expected number of rows.
        init(rowCount: Int) { rows.reserveCapacity(rowCount) }

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
            let size = (byteCount + alignment - 1) / alignment * alignment
            if blocks.isEmpty || free.count < size {
                // As large as all rows before: many rows need few blocks.
                free = 0..<max(size, min(self.byteCount, Self.largestBlock))
                blocks.append(PackedCells.allocate(free.count))
                self.byteCount += free.count
            }
            defer { free = free.lowerBound + size..<free.upperBound }
            return blocks[blocks.count - 1] + free.lowerBound
        }
    }

    private var content: Content
    private var position = 0

    init(_ content: consuming Content = Content()) { self.content = content }

    deinit {
        for block in content.blocks { PackedCells.deallocate(block) }
    }

    var count: Int { content.rows.count }
    /// The memory of the rows, in bytes.
    var byteCount: Int { content.byteCount }

    /// Returns whether another buffer has the same rows, bit by bit.
    func isIdentical(to other: RowBuffer, columnCount: Int) -> Bool {
        count == other.count
            && zip(content.rows, other.content.rows).allSatisfy { row, other in
                (0..<columnCount).allSatisfy { row[$0].isIdentical(to: other[$0]) }
            }
    }

    func append(_ row: StorageRow) { append(row.cells, count: row.count) }

    func append(_ cells: UnsafePointer<StorageCell>, count: Int) {
        content.append(cells, count: count)
    }

    func forEach(_ body: (UnsafePointer<StorageCell>) -> Void) {
        for row in content.rows { body(row) }
    }

    /// Copies the next row's cells to `row`, which borrows text and blobs. Returns `false` after the last.
    func moveNext(to row: StorageRow) -> Bool {
        let next = position
        guard next < content.rows.count else { return false }
        row.cells.update(from: content.rows[next], count: row.count)
        position = next + 1
        return true
    }
}
