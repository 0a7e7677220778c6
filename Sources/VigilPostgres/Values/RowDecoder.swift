import VigilStorage

/// Decodes rows into the cells of a statement's row.
struct RowDecoder: ~Copyable {
    private let decodings: [ColumnDecoding]
    /// Whether values of a column need memory besides their text.
    private let needsScratch: Bool
    private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// - Parameter types: the types of the columns.
    init(types: [UInt32]) {
        decodings = types.map { ColumnDecoding(type: $0) }
        needsScratch = decodings.contains { $0.scratchSize(of: 1) > 0 }
    }

    deinit { scratch.deallocate() }

    mutating func decode(_ row: ResultStream.Row, into cells: UnsafeMutablePointer<StorageCell>) {
        if needsScratch { reserveScratch(row) }
        var free = scratch[...]
        for column in decodings.indices {
            cells[column] =
                row.bytes(column).map { decodings[column].cell($0, scratch: &free) } ?? .null
        }
    }

    private mutating func reserveScratch(_ row: ResultStream.Row) {
        var size = 0
        for (column, decoding) in decodings.enumerated() {
            guard let text = row.bytes(column) else { continue }
            size += decoding.scratchSize(of: text.count)
        }
        guard size > scratch.count else { return }
        scratch.deallocate()
        scratch = .allocate(byteCount: max(size, 2 * scratch.count), alignment: 1)
    }
}
