import VigilStorage

/// A changed row, received from the stream: its values before and after the change, as far as they are known.
///
/// The server sends the values before an update only if a column of the replica identity has changed, or with
/// `REPLICA IDENTITY FULL`. It never sends a large value that was stored apart and not changed.
struct StreamedRow: Equatable, Sendable {
    /// The state of a value.
    enum Kind: UInt8 {
        /// A text follows, with its length.
        case text
        case null
        case unknown
        /// Of an old value: the new one. Of a new value: the old one.
        case same
    }

    /// Longer values are not kept.
    static let valueLimit = 4_096

    let relation: StreamedRelation
    let kind: RowChange.Kind
    /// The old values, unless the row was inserted, and the new values, unless it was deleted.
    let bytes: [UInt8]

    /// The memory of the row, about.
    var byteCount: Int { bytes.count + 128 }

    /// Copies the values of a row; returns `nil` if they do not fit the relation.
    init?(_ row: PgOutput.Row, _ relation: StreamedRelation, in message: UnsafeRawBufferPointer) {
        guard let sent = SentRow(row, relation, in: message) else { return nil }
        self.relation = relation
        kind = row.kind
        var bytes: [UInt8] = []
        bytes.reserveCapacity(message.count)
        func add(_ value: SentRow.Value) {
            bytes.append(value.kind.rawValue)
            guard value.kind == .text else { return }
            withUnsafeBytes(of: UInt32(value.range.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: message[value.range])
        }
        if kind != .insert { for index in relation.columns.indices { add(sent.oldValue(at: index)) } }
        if kind != .delete { for index in relation.columns.indices { add(sent.newValue(at: index)) } }
        self.bytes = bytes
    }
}

/// The values of a row in a message.
private struct SentRow {
    struct Value {
        var kind: StreamedRow.Kind
        var range = 0..<0
    }

    private let relation: StreamedRelation
    private let message: UnsafeRawBufferPointer
    /// Whether values outside of the identity were sent before the change.
    private let hasAllOldValues: Bool
    /// The sent values; `same` for an unchanged value that was not sent. Empty if nothing was sent.
    private let old: [Value]
    private let new: [Value]

    init?(_ row: PgOutput.Row, _ relation: StreamedRelation, in message: UnsafeRawBufferPointer) {
        self.relation = relation
        self.message = message
        hasAllOldValues = row.old?.isKey == false
        let count = relation.columns.count
        guard let old = Self.values(row.old, count: count, in: message),
            let new = Self.values(row.new, count: count, in: message)
        else { return nil }
        (self.old, self.new) = (old, new)
    }

    /// Returns `nil` for another number of columns.
    private static func values(
        _ tuple: PgOutput.Tuple?, count: Int, in message: UnsafeRawBufferPointer
    ) -> [Value]? {
        guard let tuple else { return [] }
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: message[tuple.range]))
        guard reader.uint16() == UInt16(exactly: count) else { return nil }
        var values: [Value] = []
        values.reserveCapacity(count)
        while let (kind, range) = reader.value() {
            let start = tuple.range.lowerBound
            switch kind {
            case UInt8(ascii: "n"): values.append(Value(kind: .null))
            case UInt8(ascii: "u"): values.append(Value(kind: .same))
            case UInt8(ascii: "t"):
                values.append(
                    Value(kind: .text, range: start + range.lowerBound..<start + range.upperBound))
            default: values.append(Value(kind: .unknown))
            }
        }
        return values.count == count ? values : nil
    }

    func oldValue(at index: Int) -> Value {
        // In a key, columns outside of the identity are sent as NULL.
        guard hasAllOldValues || relation.columns[index].isInIdentity else { return Value(kind: .unknown) }
        guard !old.isEmpty else {
            // Without old values, the identity has not changed. A full one is always sent.
            return Value(kind: relation.isIdentityFull ? .unknown : .same)
        }
        if old[index].kind == .same { return Value(kind: .unknown) }
        return isLong(old[index]) ? Value(kind: isSame(index) ? .same : .unknown) : old[index]
    }

    func newValue(at index: Int) -> Value {
        isLong(new[index]) ? Value(kind: isSame(index) ? .same : .unknown) : new[index]
    }

    private func isLong(_ value: Value) -> Bool {
        value.kind == .text && value.range.count > StreamedRow.valueLimit
    }

    /// Returns whether a long value was not changed.
    private func isSame(_ index: Int) -> Bool {
        guard !old.isEmpty, !new.isEmpty else { return false }
        if new[index].kind == .same { return true }
        return old[index].kind == .text && new[index].kind == .text
            && message[old[index].range].elementsEqual(message[new[index].range])
    }
}
