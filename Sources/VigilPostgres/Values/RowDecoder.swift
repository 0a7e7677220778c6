import VigilStorage

/// Decodes the rows of a result into the cells of a statement's row.
struct RowDecoder: ~Copyable {
    private let decodings: [ColumnDecoding]
    private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    init(_ result: PostgresResult) {
        decodings = (0..<result.columnCount).map { ColumnDecoding(type: result.columnType($0)) }
    }

    deinit { scratch.deallocate() }

    mutating func decode(_ result: PostgresResult, row: Int, into cells: UnsafeMutablePointer<StorageCell>) {
        var size = 0
        for (column, decoding) in decodings.enumerated() {
            guard let text = result.bytes(row: row, column: column) else { continue }
            size += decoding.scratchSize(of: text.count)
        }
        if size > scratch.count {
            scratch.deallocate()
            scratch = .allocate(byteCount: max(size, 2 * scratch.count), alignment: 1)
        }
        var free = scratch[...]
        for (column, decoding) in decodings.enumerated() {
            cells[column] =
                result.bytes(row: row, column: column).map { decoding.cell($0, scratch: &free) } ?? .null
        }
    }
}
