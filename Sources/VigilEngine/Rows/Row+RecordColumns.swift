import VigilStorage

// Called by the code of the macros `Record` and `FetchedRecord`, which know the names of their columns.

/// The columns of a record type in the rows of a statement.
@usableFromInline
struct RecordColumns {
    @usableFromInline let record: ObjectIdentifier
    /// The index in the cells of each column; -1 for one that the rows do not have.
    @usableFromInline let cells: UnsafeMutablePointer<Int>
}

extension Row {
    /// Returns the indexes of the cells of a record type's columns; `nil` if the row is not one of a cursor.
    ///
    /// - Parameter names: the columns, always the same for a record type.
    @inlinable  // bench: decode-macro
    public func _recordCells(
        of record: Any.Type, _ names: @autoclosure () -> [String]
    ) -> UnsafePointer<Int>? {
        guard let columnLookups else { return nil }
        let id = ObjectIdentifier(record)
        for known in columnLookups.records where known.record == id { return UnsafePointer(known.cells) }
        return UnsafePointer(columnLookups.add(id, names(), positions: positions))
    }

    /// Returns the value of a column, as `decode(_:forColumn:)` does.
    ///
    /// - Parameters:
    ///   - column: the name of the column.
    ///   - cells: the result of `_recordCells(of:_:)`.
    ///   - position: the position of the column among the columns of the record type.
    @inlinable  // bench: decode-macro
    @inline(__always)
    public func _recordValue<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ column: String, _ cells: UnsafePointer<Int>?, at position: Int
    ) throws -> Value {
        if let index = cells?[position], index >= 0, let value = Value.fromCell(self.cells[index]) {
            return value
        }
        return try decode(forColumn: column)
    }
}

extension ColumnLookups {
    /// Adds the columns of a record type.
    @usableFromInline
    func add(
        _ record: ObjectIdentifier, _ names: [String], positions: [Int]?
    ) -> UnsafeMutablePointer<Int> {
        let cells = UnsafeMutablePointer<Int>.allocate(capacity: names.count)
        for (position, name) in names.enumerated() {
            let index = search(forColumn: name)
            cells[position] = index.map { positions?[$0] ?? $0 } ?? -1
        }
        records.append(RecordColumns(record: record, cells: cells))
        return cells
    }
}
