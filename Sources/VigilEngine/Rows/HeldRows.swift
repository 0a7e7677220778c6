import VigilStorage

/// The rows that a run returns from memory: of a statement that wrote, or of a result that was kept.
struct HeldRows {
    let rows: [Row]
    /// The current row of the statement.
    private let current: StorageRow
    /// The number of rows returned so far.
    private var count = 0

    init(_ rows: [Row], current: StorageRow) {
        (self.rows, self.current) = (rows, current)
    }

    /// Copies the next row's cells to the current row, which borrows text and blobs. Returns `false` after
    /// the last.
    mutating func moveNext() -> Bool {
        guard count < rows.count else { return false }
        current.cells.update(from: rows[count].cells, count: current.count)
        count += 1
        return true
    }
}

extension [Row] {
    /// The memory of the rows, roughly, in bytes.
    var byteCount: Int { reduce(0) { $0 + $1.byteCount } }

    /// Returns whether the rows can stand for rows with a layout.
    func haveLayout(_ layout: RowLayout) -> Bool {
        // Most rows share one.
        var last = layout
        for row in self where row.layout !== last {
            guard row.layout.isIdentical(to: layout) else { return false }
            last = row.layout
        }
        return true
    }

    /// Returns whether other rows have the same columns and values, bit by bit.
    func isIdentical(to other: [Row]) -> Bool { elementsEqual(other) { $0.isIdentical(to: $1) } }
}
