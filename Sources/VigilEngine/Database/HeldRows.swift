import VigilStorage

/// The rows of a statement that runs to its end before it returns the first row.
final class HeldRows {
    private var rows: [UnsafeMutablePointer<StorageCell>] = []
    private var position = 0

    deinit {
        for row in rows { UnsafeMutableRawPointer(row).deallocate() }
    }

    /// Copies the current row of a statement.
    func append(_ row: StorageRow) {
        rows.append(PackedCells.copy(row.cells, count: row.count))
    }

    /// Copies the cells of the next row to `row`, which borrows their text and blobs.
    ///
    /// - Returns: `false` after the last row.
    func moveNext(to row: StorageRow) -> Bool {
        guard position < rows.count else { return false }
        row.cells.update(from: rows[position], count: row.count)
        position += 1
        return true
    }
}
