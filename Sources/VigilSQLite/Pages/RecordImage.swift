import VigilStorage

/// The values of one row, decoded from its record on request
/// (https://www.sqlite.org/fileformat2.html, 2.1).
///
/// An object is used for many rows. A value that cannot be decoded is unknown.
final class RecordImage {
    private struct Field {
        let type: UInt64
        let offset: Int
        let size: Int
    }

    private let table: TrackedTable
    private let format: DatabaseFormat
    private let source: any PageSource
    private var cell: Cell?
    /// The fields of the record; `nil` if they have not been read.
    private var fields: [Field]?
    /// Memory of values and payloads that are not in a page as such.
    private var copies: [UnsafeMutableRawBufferPointer] = []
    /// The whole payload of a long row, in the memory of a copy; `nil` if it has not been read.
    private var payload: UnsafeRawBufferPointer?

    init(table: TrackedTable, format: DatabaseFormat, source: any PageSource) {
        self.table = table
        self.format = format
        self.source = source
    }

    deinit {
        for copy in copies { copy.deallocate() }
    }

    /// Moves to another row, and invalidates all cells; `nil` ends the use of the last one.
    func begin(_ cell: Cell?) {
        self.cell = cell
        fields = nil
        payload = nil
        for copy in copies { copy.deallocate() }
        copies.removeAll(keepingCapacity: true)
    }

    /// The key of the row.
    var key: RowKey {
        guard table.isWithoutRowID else { return cell.map { .integer($0.key) } ?? .unknown }
        var values: [StorageValue] = []
        for column in table.primaryKey {
            guard let value = value(at: column)?.value else { return .unknown }
            values.append(value)
        }
        return .values(values)
    }

    /// The bytes of the primary key, equal for identical keys only; `nil` if it is unknown.
    var keyBytes: [UInt8]? {
        var result: [UInt8] = []
        for column in table.primaryKey {
            guard let value = value(at: column) else { return nil }
            result.append(value.kind.rawValue)
            switch value.kind {
            case .null: break
            case .integer: withUnsafeBytes(of: value.integer) { result += $0 }
            case .real: withUnsafeBytes(of: value.real) { result += $0 }
            case .text, .blob:
                withUnsafeBytes(of: value.bytes.count) { result += $0 }
                result += value.bytes
            }
        }
        return result
    }

    /// Returns the value of a column, valid until the next row; `nil` if it is unknown.
    func value(at index: Int) -> StorageCell? {
        guard let cell, table.columns.indices.contains(index) else { return nil }
        let column = table.columns[index]
        switch column.place {
        case .computed: return nil
        case .rowID: return StorageCell(integer: cell.key)
        case .field(let field):
            if fields == nil { fields = try? readFields(cell) }
            guard let fields, field >= 0 else { return nil }
            guard field < fields.count else { return column.defaultValue.map { $0.cell(copyingBytes: copy) } }
            guard let value = try? decode(fields[field], of: cell) else { return nil }
            return column.isReal && value.kind == .integer ? StorageCell(real: Double(value.integer)) : value
        }
    }

    private func readFields(_ cell: Cell) throws(PageError) -> [Field] {
        var offset = 0
        let headerSize = try bytes(of: cell, through: min(9, cell.size)).varint(at: &offset)
        guard headerSize >= UInt64(offset), headerSize <= UInt64(cell.size) else { throw .malformed }
        let header = try PageBytes(
            bytes(of: cell, through: Int(headerSize)).slice(at: 0, count: Int(headerSize)))
        var end = Int(headerSize)
        var fields: [Field] = []
        while offset < header.count {
            let type = try header.varint(at: &offset)
            let size = try Self.size(ofType: type)
            fields.append(Field(type: type, offset: end, size: size))
            end += size
        }
        guard end <= cell.size else { throw .malformed }
        return fields
    }

    private static func size(ofType type: UInt64) throws(PageError) -> Int {
        switch type {
        case 0, 8, 9: return 0
        case 1...4: return Int(type)
        case 5: return 6
        case 6, 7: return 8
        case 12...(1 << 33): return Int((type - 12) / 2)
        default: throw .malformed
        }
    }

    private func decode(_ field: Field, of cell: Cell) throws(PageError) -> StorageCell {
        let bytes = try bytes(of: cell, through: field.offset + field.size)
            .slice(at: field.offset, count: field.size)
        switch field.type {
        case 0: return .null
        case 8, 9: return StorageCell(integer: Int64(field.type) - 8)
        case 1...6:
            var value: Int64 = Int8(bitPattern: bytes[0]) < 0 ? -1 : 0
            for byte in bytes { value = value << 8 | Int64(byte) }
            return StorageCell(integer: value)
        case 7:
            let real = Double(
                bitPattern: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)))
            return real.isNaN ? .null : StorageCell(real: real)
        default:
            return field.type % 2 == 0 ? StorageCell(borrowingBlob: bytes) : try text(bytes)
        }
    }

    private func text(_ bytes: UnsafeRawBufferPointer) throws(PageError) -> StorageCell {
        if format.encoding == .utf8 { return StorageCell(borrowingText: bytes) }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for offset in stride(from: 0, to: bytes.count - 1, by: 2) {
            let unit = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
            units.append(
                format.encoding == .utf16BigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit))
        }
        var text: [UInt8] = []
        text.reserveCapacity(units.count)
        let hasError = transcode(
            units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
        ) { text.append($0) }
        guard !hasError else { throw .malformed }
        return StorageCell(borrowingText: copy(text))
    }

    /// Returns the payload, at least up to an offset.
    private func bytes(of cell: Cell, through end: Int) throws(PageError) -> PageBytes {
        if let payload { return PageBytes(payload) }
        if end <= cell.local.count { return PageBytes(cell.local) }
        guard end <= cell.size else { throw .malformed }
        var whole = Array(cell.local)
        var chain = try OverflowChain(of: cell, in: source, format: format)
        while let page = try chain.nextPage() { whole += page.content }
        let payload = copy(whole)
        self.payload = payload
        return PageBytes(payload)
    }

    private func copy(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyBytes(from: bytes)
        copies.append(copy)
        return UnsafeRawBufferPointer(copy)
    }
}
