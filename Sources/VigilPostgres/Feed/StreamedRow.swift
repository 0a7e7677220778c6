import VigilStorage

/// A changed row, received from the stream: its values before and after the change, as far as they are known.
///
/// The server sends the values before an update only if a column of the replica identity has changed, or with
/// `REPLICA IDENTITY FULL`. It never sends a large value that was stored apart and not changed.
struct StreamedRow: Equatable, Sendable {
    /// What is known of a value.
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
        guard let old = Self.values(row.old, relation, message),
            let new = Self.values(row.new, relation, message)
        else { return nil }
        self.relation = relation
        kind = row.kind
        var writer = Writer(message: message)
        if kind != .insert {
            for (index, column) in relation.columns.enumerated() {
                let isKnown = row.old?.isKey == false || column.isInIdentity
                writer.add(isKnown ? Self.old(index, old, new, relation, message) : .init(kind: .unknown))
            }
        }
        if kind != .delete {
            for index in relation.columns.indices { writer.add(Self.new(index, old, new, message)) }
        }
        bytes = writer.bytes
    }

    private struct Value {
        var kind: Kind
        var range = 0..<0
    }

    /// Returns what the server has sent for each column, or an empty list. `same` is an unchanged value that
    /// was not sent. Returns `nil` for another number of columns.
    private static func values(
        _ tuple: PgOutput.Tuple?, _ relation: StreamedRelation, _ message: UnsafeRawBufferPointer
    ) -> [Value]? {
        guard let tuple else { return [] }
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: message[tuple.range]))
        guard reader.uint16() == UInt16(exactly: relation.columns.count) else { return nil }
        var values: [Value] = []
        values.reserveCapacity(relation.columns.count)
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
        return values.count == relation.columns.count ? values : nil
    }

    /// Returns an old value that the server sends if it has changed.
    private static func old(
        _ index: Int, _ old: [Value], _ new: [Value], _ relation: StreamedRelation,
        _ message: UnsafeRawBufferPointer
    ) -> Value {
        guard let value = old.isEmpty ? nil : old[index] else {
            // Without old values, the identity has not changed. A full one is always sent.
            return Value(kind: relation.isIdentityFull ? .unknown : .same)
        }
        switch value.kind {
        case .same: return Value(kind: .unknown)
        case .text where value.range.count > valueLimit:
            let isSame = !new.isEmpty && Self.isSame(value, new[index], message)
            return Value(kind: isSame ? .same : .unknown)
        case .text, .null, .unknown: return value
        }
    }

    private static func new(
        _ index: Int, _ old: [Value], _ new: [Value], _ message: UnsafeRawBufferPointer
    ) -> Value {
        let value = new[index]
        guard value.kind == .text, value.range.count > valueLimit else { return value }
        let isSame = !old.isEmpty && Self.isSame(old[index], value, message)
        return Value(kind: isSame ? .same : .unknown)
    }

    private static func isSame(_ old: Value, _ new: Value, _ message: UnsafeRawBufferPointer) -> Bool {
        new.kind == .same
            || old.kind == .text && new.kind == .text && message[old.range].elementsEqual(message[new.range])
    }

    private struct Writer {
        let message: UnsafeRawBufferPointer
        var bytes: [UInt8] = []

        mutating func add(_ value: Value) {
            bytes.append(value.kind.rawValue)
            guard value.kind == .text else { return }
            withUnsafeBytes(of: UInt32(value.range.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: message[value.range])
        }
    }
}
