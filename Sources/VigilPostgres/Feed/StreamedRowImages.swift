import VigilStorage

/// The values of one row at a time, decoded from its texts on request. An object is used for many rows.
final class StreamedRowImages: RowImages {
    private typealias Value = StreamedRow.Value

    /// The common parts of all rows of a relation.
    private struct Layout {
        let relation: StreamedRelation
        let targets: PublishedTables.Targets
        /// The columns of the rows, and those that the stream does not contain.
        let names: [String]
        /// The positions of the columns of the key of each table.
        let keys: [[Int?]]

        init(_ row: ReportedRow) {
            relation = row.row.relation
            targets = row.targets
            let relation = relation
            names =
                relation.names
                + targets.generatedColumns.filter { name in
                    !relation.names.contains { $0.isIdentical(to: name) }
                }
            keys = targets.tables.map { table in
                table.key.columns.map { relation.position(of: $0) }
            }
        }
    }

    private var row: StreamedRow?
    private var layout: Layout?
    private var old: [Value] = []
    private var new: [Value] = []
    /// The memory of decoded blobs.
    private var copies: [UnsafeMutableRawBufferPointer] = []

    deinit { end() }

    /// Calls `body` with the change of each table that a row belongs to. The images are valid until it
    /// returns.
    func report(_ reported: ReportedRow, _ body: (RowChange) -> Void) {
        let row = reported.row
        var layout = layout ?? Layout(reported)
        if layout.relation !== row.relation || layout.targets !== reported.targets {
            layout = Layout(reported)
        }
        self.layout = layout
        row.withBytes { bytes in
            self.row = row
            row.readOld(in: bytes, into: &old)
            row.readNew(in: bytes, into: &new)
            for (table, positions) in zip(layout.targets.tables, layout.keys) {
                let oldKey = row.kind == .insert ? nil : key(of: table, at: positions, isOld: true)
                let newKey = row.kind == .delete ? nil : key(of: table, at: positions, isOld: false)
                body(
                    RowChange(
                        table: table.name, kind: row.kind, oldKey: oldKey, newKey: newKey, images: self))
            }
            end()
        }
    }

    private func end() {
        row = nil
        old.removeAll(keepingCapacity: true)
        new.removeAll(keepingCapacity: true)
        for copy in copies { copy.deallocate() }
        copies.removeAll(keepingCapacity: true)
    }

    var columnNames: [String] { layout?.names ?? [] }

    func oldValue(at column: Int) -> StorageCell? {
        guard old.indices.contains(column) else { return nil }
        if old[column].kind == .same, new.indices.contains(column) { return cell(new[column], column) }
        return cell(old[column], column)
    }

    func newValue(at column: Int) -> StorageCell? {
        guard new.indices.contains(column) else { return nil }
        if new[column].kind == .same, old.indices.contains(column) { return cell(old[column], column) }
        return cell(new[column], column)
    }

    func isUnchanged(at column: Int) -> Bool {
        old.indices.contains(column) && new.indices.contains(column)
            && (old[column].kind == .same || new[column].kind == .same)
    }

    private func cell(_ value: Value, _ column: Int) -> StorageCell? {
        switch value.kind {
        case .null: return .null
        case .unknown, .same: return nil
        case .text:
            guard let relation = row?.relation, !relation.hasAmbiguousText[column] else { return nil }
            guard let type = relation.types[column] else { return StorageCell(borrowingText: value.text) }
            return type.cell(value.text) { count in
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
                copies.append(copy)
                return copy
            }
        }
    }

    private func key(of table: PublishedTables.Targets.Table, at positions: [Int?], isOld: Bool) -> RowKey {
        var values: [StorageValue] = []
        for position in positions {
            guard let position, let cell = isOld ? oldValue(at: position) : newValue(at: position) else {
                return .unknown
            }
            if table.key.isRowID { return cell.kind == .integer ? .integer(cell.integer) : .unknown }
            values.append(cell.value)
        }
        return .values(values)
    }
}
