import VigilStorage

/// The rows of a result, as of its last change. Rows that do not change usually stay the same objects: all of
/// them if one row changes, appears, vanishes or moves.
///
/// ```swift
/// rows.begin(layout)
/// machine.forEachRow { rows.add($0) }
/// rows.end()
/// ```
struct ShownRows: Sendable {
    private(set) var rows: [Row] = []
    /// The packed values of each row (`PackedValues`).
    private var packed: [[UInt8]] = []
    private var layout: RowLayout?
    /// The number of rows added so far.
    private var count = 0
    /// The last row that another one has taken the place of: the next one, if that was inserted.
    private var displaced: (row: Row, packed: [UInt8])?

    /// The memory of the rows, roughly, in bytes.
    var byteCount: Int {
        let size = 256 + (layout?.cellCount ?? 0) * MemoryLayout<StorageCell>.stride
        return packed.reduce(0) { $0 + size + 2 * $1.count }
    }

    /// Begins to replace the rows.
    ///
    /// - Parameter layout: the layout of new rows. All rows are new if the columns have other names.
    mutating func begin(_ layout: RowLayout) {
        if self.layout?.isIdentical(to: layout) != true { (rows, packed, self.layout) = ([], [], layout) }
        count = 0
    }

    /// Adds a packed row after the others.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        defer { count += 1 }
        if isKnown(bytes, at: count) { return }
        if isKnown(bytes, at: count + 1) {
            displaced = (rows.remove(at: count), packed.remove(at: count))
            return
        }
        var new = displaced
        if new?.packed.withUnsafeBytes({ $0.isIdentical(to: bytes) }) != true {
            new = layout.map { (Row(layout: $0, unpacking: bytes), Array(bytes)) }
        }
        guard let new else { return }
        if count < rows.count {
            displaced = (rows[count], packed[count])
            (rows[count], packed[count]) = new
        } else {
            displaced = nil
            rows.append(new.row)
            packed.append(new.packed)
        }
    }

    mutating func end() {
        displaced = nil
        guard count < rows.count else { return }
        rows.removeSubrange(count...)
        packed.removeSubrange(count...)
    }

    private func isKnown(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
        place < rows.count && packed[place].withUnsafeBytes { $0.isIdentical(to: bytes) }
    }
}
