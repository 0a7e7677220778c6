import VigilStorage

/// The values of one row at a time, decoded from its texts on request. An object is used for many rows.
final class StreamedRowImages: RowImages {
    private struct Value {
        var kind: StreamedRow.Kind
        var text: UnsafeRawBufferPointer
    }

    private var row: StreamedRow?
    private var old: [Value] = []
    private var new: [Value] = []
    /// The memory of decoded blobs.
    private var copies: [UnsafeMutableRawBufferPointer] = []

    deinit { end() }

    /// Calls `body` with the images of a row. All cells are valid until it returns.
    func withRow(_ row: StreamedRow, _ body: () -> Void) {
        row.bytes.withUnsafeBytes { bytes in
            self.row = row
            var reader = ByteReader(bytes)
            let count = row.relation.columns.count
            if row.kind != .insert { read(&reader, of: bytes, count: count, into: &old) }
            if row.kind != .delete { read(&reader, of: bytes, count: count, into: &new) }
            body()
            end()
        }
    }

    private func read(
        _ reader: inout ByteReader, of bytes: UnsafeRawBufferPointer, count: Int,
        into values: inout [Value]
    ) {
        for _ in 0..<count {
            let kind = reader.byte().flatMap { StreamedRow.Kind(rawValue: $0) } ?? .unknown
            let length = kind == .text ? Int(reader.uint32() ?? 0) : 0
            let start = reader.offset
            _ = reader.skip(length)
            values.append(
                Value(kind: kind, text: UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])))
        }
    }

    private func end() {
        row = nil
        old.removeAll(keepingCapacity: true)
        new.removeAll(keepingCapacity: true)
        for copy in copies { copy.deallocate() }
        copies.removeAll(keepingCapacity: true)
    }

    var columnNames: [String] { row?.relation.names ?? [] }

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
            guard let type = row?.relation.types[column] else {
                return StorageCell(borrowingText: value.text)
            }
            return type.cell(value.text) { count in
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
                copies.append(copy)
                return copy
            }
        }
    }

    /// Returns the keys of the row in a table: of its own, or of one above it.
    func keys(_ key: PublishedTables.Key) -> (old: RowKey?, new: RowKey?) {
        guard let row else { return (nil, nil) }
        let positions = key.columns.map { row.relation.position(of: $0) }
        return (
            row.kind == .insert ? nil : self.key(key, at: positions, value: oldValue),
            row.kind == .delete ? nil : self.key(key, at: positions, value: newValue)
        )
    }

    private func key(
        _ key: PublishedTables.Key, at positions: [Int?], value: (Int) -> StorageCell?
    ) -> RowKey {
        var values: [StorageValue] = []
        for position in positions {
            guard let position, let cell = value(position) else { return .unknown }
            if key.isRowID { return cell.kind == .integer ? .integer(cell.integer) : .unknown }
            values.append(cell.value)
        }
        return .values(values)
    }
}
