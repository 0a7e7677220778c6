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
    /// The rows of a complete run, until they are returned.
    var heldRows: RowBuffer?
}

/// The rows of a statement that runs to its end before it returns the first one.
final class RowBuffer {
    private var rows: [UnsafeMutablePointer<StorageCell>] = []
    private var position = 0

    deinit {
        for row in rows { UnsafeMutableRawPointer(row).deallocate() }
    }

    func append(_ row: StorageRow) {
        rows.append(PackedCells.copy(row.cells, count: row.count))
    }

    /// Copies the next row's cells to `row`, which borrows text and blobs. Returns `false` after the last.
    func moveNext(to row: StorageRow) -> Bool {
        guard position < rows.count else { return false }
        row.cells.update(from: rows[position], count: row.count)
        position += 1
        return true
    }
}
