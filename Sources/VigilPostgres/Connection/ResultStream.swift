/// The rows of a running statement, in the order of their arrival.
///
/// The rows of a query are received one by one: the first one is soon available, and a large result needs no
/// memory. Before the connection sends another command, the rest is received and kept.
final class ResultStream {
    private let channel: ServerChannel
    /// The answer with the current rows. The last one has the tag of the command.
    private(set) var current: PostgresResult
    /// The number of the next row in ``current``.
    private var nextRow = 0
    /// The rows received early.
    private var kept: RowBuffer?
    /// Whether the server has answered completely.
    private(set) var isComplete: Bool
    /// The error at an early end of the rows.
    private(set) var failure: PostgresResult?
    /// Whether the connection was lost before the last row.
    private(set) var isLost = false
    /// Whether a transaction was open when the statement began.
    let wasInTransaction: Bool
    let columnNames: [String]
    let columnTypes: [UInt32]

    /// Creates a stream from the first answer, which is not an error.
    init(_ channel: ServerChannel, first: PostgresResult, isComplete: Bool, wasInTransaction: Bool) {
        self.channel = channel
        self.wasInTransaction = wasInTransaction
        current = first
        self.isComplete = isComplete
        columnNames = first.columnNames
        columnTypes = (0..<first.columnCount).map { first.columnType($0) }
    }

    /// A row. Its values stay in place until the next one is requested.
    enum Row {
        case received(PostgresResult, Int)
        case kept(RowBuffer)

        func bytes(_ column: Int) -> UnsafeRawBufferPointer? {
            switch self {
            case .received(let result, let row): result.bytes(row: row, column: column)
            case .kept(let buffer): buffer.bytes(column)
            }
        }
    }

    /// Returns the next row; `nil` after the last one, which may be early: see ``failure`` and ``isLost``.
    func next() -> Row? {
        if let kept { return kept.moveNext() ? .kept(kept) : nil }
        while nextRow >= current.rowCount {
            guard !isComplete else { return nil }
            receiveNext()
        }
        defer { nextRow += 1 }
        return .received(current, nextRow)
    }

    /// Receives the next answer into ``current``.
    private func receiveNext() {
        nextRow = 0
        guard let result = channel.nextResult() else { return complete() }
        if result.isError {
            failure = failure ?? result
            // The rest of the answer.
            while channel.nextResult() != nil {}
            return complete()
        }
        current = result
        // The last answer has no rows.
        if result.status != PostgresResultStatus.singleTuple {
            while channel.nextResult() != nil {}
            complete()
        }
    }

    private func complete() {
        isComplete = true
        channel.end()
        isLost = failure?.endsSession == true || !channel.isConnected
        if isLost || failure != nil { nextRow = current.rowCount }
    }

    /// Receives the remaining rows, and keeps them, because another command will be sent.
    func keepRest() {
        guard !isComplete else { return }
        let buffer = RowBuffer(columnCount: columnTypes.count)
        while let row = next() { buffer.append(row) }
        kept = buffer
    }

    /// Receives at most `count` further rows, without keeping them. Returns whether the answer is complete.
    func skip(_ count: Int) -> Bool {
        var count = count
        while !isComplete, count > 0 {
            receiveNext()
            count -= 1
        }
        return isComplete
    }
}

/// Rows kept in one piece of memory.
final class RowBuffer {
    private let columnCount: Int
    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var byteCount = 0
    private var rowCount = 0
    /// The lengths of all values; -1 for NULL.
    private var lengths: [Int32] = []
    private var nextRow = 0
    /// The offset of the next row's values in ``bytes``.
    private var nextOffset = 0
    /// The values of the current row.
    private var values: [UnsafeRawBufferPointer?] = []

    init(columnCount: Int) {
        self.columnCount = columnCount
    }

    deinit { bytes.deallocate() }

    func append(_ row: ResultStream.Row) {
        rowCount += 1
        for column in 0..<columnCount {
            guard let value = row.bytes(column) else {
                lengths.append(-1)
                continue
            }
            lengths.append(Int32(truncatingIfNeeded: value.count))
            reserve(value.count)
            UnsafeMutableRawBufferPointer(rebasing: bytes[byteCount...]).copyMemory(from: value)
            byteCount += value.count
        }
    }

    private func reserve(_ count: Int) {
        guard byteCount + count > bytes.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(4096, 2 * bytes.count, byteCount + count), alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
        bytes.deallocate()
        bytes = larger
    }

    /// Moves to the next row. Returns `false` after the last one.
    func moveNext() -> Bool {
        guard nextRow < rowCount else { return false }
        values.removeAll(keepingCapacity: true)
        for length in lengths[nextRow * columnCount..<(nextRow + 1) * columnCount] {
            guard length >= 0 else {
                values.append(nil)
                continue
            }
            let end = nextOffset + Int(length)
            values.append(UnsafeRawBufferPointer(rebasing: bytes[nextOffset..<end]))
            nextOffset = end
        }
        nextRow += 1
        return true
    }

    /// Returns the bytes of a value of the current row; `nil` for NULL.
    func bytes(_ column: Int) -> UnsafeRawBufferPointer? { values[column] }
}
