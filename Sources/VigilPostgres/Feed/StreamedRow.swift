import VigilStorage

/// A changed row, received from the stream: its values before and after the change, as far as they are known.
///
/// The server sends the values before an update only if a column of the replica identity has changed, or with
/// `REPLICA IDENTITY FULL`. It never sends a large value that was stored apart and not changed.
struct StreamedRow: Equatable, Sendable {
    /// The values that were sent of the row before a change.
    enum OldValues {
        case none
        /// The values of the identity. Others are sent as NULL.
        case identity
        case all
    }

    /// A value, valid during the call of ``StreamedRow/withBytes(_:)``.
    struct Value {
        enum Kind {
            case text, null, unknown
            /// Of an old value: the new one. Of a new value: the old one.
            case same
        }

        var kind: Kind
        var text = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Longer values are not kept.
    static let valueLimit = 4_096
    /// The kinds of values that were not kept: equal before and after the change, or different ones. The
    /// stream has no such kinds.
    private static let (same, unknown) = (UInt8(ascii: "="), UInt8(ascii: "?"))

    let relation: StreamedRelation
    let kind: RowChange.Kind
    private let oldValues: OldValues
    /// The values before the change, if any were sent, and after it, if there are any: as in the message,
    /// without values that are too long.
    private let bytes: [UInt8]
    /// The place of the new values.
    private let newStart: Int

    /// The memory of the row, about.
    var byteCount: Int { bytes.count + 128 }

    /// Copies the values of a row; returns `nil` if they do not fit the relation.
    init?(_ row: PgOutput.Row, _ relation: StreamedRelation, in message: UnsafeRawBufferPointer) {
        for tuple in [row.old, row.new] {
            guard let tuple else { continue }
            var reader = ByteReader(message, at: tuple.range.lowerBound)
            guard reader.uint16() == UInt16(exactly: relation.columns.count) else { return nil }
        }
        self.relation = relation
        kind = row.kind
        oldValues = row.old.map { $0.isKey ? .identity : .all } ?? .none
        let start = (row.old ?? row.new)?.range.lowerBound ?? 0
        let end = (row.new ?? row.old)?.range.upperBound ?? 0
        if end - start <= Self.valueLimit {
            bytes = [UInt8](message[start..<end])
            newStart = (row.new?.range.lowerBound ?? end) - start
        } else {
            (bytes, newStart) = Self.shortened(row, relation, in: message)
        }
    }

    /// Copies the values that are not too long.
    private static func shortened(
        _ row: PgOutput.Row, _ relation: StreamedRelation, in message: UnsafeRawBufferPointer
    ) -> (bytes: [UInt8], newStart: Int) {
        func values(_ tuple: PgOutput.Tuple?) -> [(kind: UInt8, text: Slice<UnsafeRawBufferPointer>)] {
            guard let tuple else { return [] }
            var reader = ByteReader(message, at: tuple.range.lowerBound)
            return (0..<(reader.uint16() ?? 0)).compactMap { _ in
                reader.value().map { ($0.kind, message[$0.range]) }
            }
        }
        let (old, new) = (values(row.old), values(row.new))
        var bytes: [UInt8] = []
        func add(_ values: [(kind: UInt8, text: Slice<UnsafeRawBufferPointer>)]) {
            withUnsafeBytes(of: UInt16(values.count).bigEndian) { bytes += $0 }
            for (index, (kind, text)) in values.enumerated() {
                guard text.count <= valueLimit else {
                    bytes.append(isSame(index) ? same : unknown)
                    continue
                }
                bytes.append(kind)
                guard kind == UInt8(ascii: "t") || kind == UInt8(ascii: "b") else { continue }
                withUnsafeBytes(of: UInt32(text.count).bigEndian) { bytes += $0 }
                bytes += text
            }
        }
        /// Whether a long value was not changed.
        func isSame(_ index: Int) -> Bool {
            guard old.indices.contains(index), new.indices.contains(index) else { return false }
            if new[index].kind == UInt8(ascii: "u") { return true }
            return !relation.hasAmbiguousText[index] && old[index].kind == new[index].kind
                && old[index].text.elementsEqual(new[index].text)
        }
        if row.old != nil { add(old) }
        let newStart = bytes.count
        if row.new != nil { add(new) }
        return (bytes, newStart)
    }

    /// Calls `body` with the bytes of all values.
    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) { bytes.withUnsafeBytes(body) }

    /// Appends the values before the change, one for each column; none for an insertion.
    func readOld(in bytes: UnsafeRawBufferPointer, into values: inout [Value]) {
        if kind == .insert { return }
        guard oldValues != .none else {
            for column in relation.columns {
                // Without old values, the identity has not changed. A full one is always sent.
                let isSame = column.isInIdentity && !relation.isIdentityFull
                values.append(Value(kind: isSame ? .same : .unknown))
            }
            return
        }
        read(bytes, at: 0, unsent: .unknown, &values)
        if oldValues == .all { return }
        for index in values.indices where !relation.columns[index].isInIdentity {
            values[index] = Value(kind: .unknown)
        }
    }

    /// Appends the values after the change, one for each column; none for a deletion.
    func readNew(in bytes: UnsafeRawBufferPointer, into values: inout [Value]) {
        if kind != .delete { read(bytes, at: newStart, unsent: .same, &values) }
    }

    private func read(
        _ bytes: UnsafeRawBufferPointer, at start: Int, unsent: Value.Kind, _ values: inout [Value]
    ) {
        var reader = ByteReader(bytes, at: start)
        _ = reader.skip(MemoryLayout<UInt16>.size)
        for _ in relation.columns.indices {
            guard let (kind, range) = reader.value() else { return }
            switch kind {
            case UInt8(ascii: "t"):
                values.append(Value(kind: .text, text: UnsafeRawBufferPointer(rebasing: bytes[range])))
            case UInt8(ascii: "n"): values.append(Value(kind: .null))
            case UInt8(ascii: "u"): values.append(Value(kind: unsent))
            case Self.same: values.append(Value(kind: .same))
            default: values.append(Value(kind: .unknown))
            }
        }
    }
}
