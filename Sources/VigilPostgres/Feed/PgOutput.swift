import VigilStorage

/// A message of the output plugin `pgoutput`, in version 1 of its protocol.
enum PgOutput: Equatable {
    /// The change of a row. Its values remain in the message.
    struct Row: Equatable {
        var kind: RowChange.Kind
        var relation: UInt32
        /// The values before the change; `nil` if they were not sent.
        var old: Tuple?
        /// The values after the change; `nil` for a deletion.
        var new: Tuple?
    }

    /// The place of a row's values, checked to be complete.
    struct Tuple: Equatable {
        /// Whether only the values of the identity's columns were sent. Others are sent as NULL.
        var isKey: Bool
        /// The bytes in the message, with the number of columns.
        var range: Range<Int>
    }

    /// A transaction begins. The number is the lower half of the transaction's.
    case begin(transaction: UInt32)
    /// The transaction was committed.
    ///
    /// - Parameters:
    ///   - end: the end of its commit in the log.
    ///   - time: the time of the server, in microseconds since 2000.
    case commit(end: UInt64, time: Int64 = 0)
    case row(Row)
    case truncate(relations: [UInt32])
    /// The definition of a relation, sent before its first change and after it was altered.
    case relation(StreamedRelation)
    /// The origin of a replicated transaction, the name of a type, a message of the program.
    case other

    /// Decodes a message. Returns `nil` if it is malformed or unknown.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        guard let kind = reader.byte(), let message = Self.message(kind, &reader), reader.isAtEnd else {
            return nil
        }
        self = message
    }

    private static func message(_ kind: UInt8, _ reader: inout ByteReader) -> PgOutput? {
        switch kind {
        case UInt8(ascii: "B"):
            guard reader.skip(16), let transaction = reader.uint32() else { return nil }
            return .begin(transaction: transaction)
        case UInt8(ascii: "C"):
            guard reader.skip(9), let end = reader.uint64(), let time = reader.uint64() else { return nil }
            return .commit(end: end, time: Int64(bitPattern: time))
        case UInt8(ascii: "I"), UInt8(ascii: "U"), UInt8(ascii: "D"): return row(kind, &reader)
        case UInt8(ascii: "T"): return truncation(&reader)
        case UInt8(ascii: "R"): return relation(&reader)
        case UInt8(ascii: "O"): return reader.skip(8) && reader.skipText() ? .other : nil
        case UInt8(ascii: "Y"): return reader.skip(4) && reader.skipText() && reader.skipText() ? .other : nil
        case UInt8(ascii: "M"):
            guard reader.skip(9), reader.skipText(), let count = reader.uint32() else { return nil }
            return reader.skip(Int(count)) ? .other : nil
        default: return nil
        }
    }

    private static func row(_ kind: UInt8, _ reader: inout ByteReader) -> PgOutput? {
        guard let relation = reader.uint32(), let first = tuple(&reader) else { return nil }
        switch (kind, first.kind) {
        case (UInt8(ascii: "I"), UInt8(ascii: "N")):
            return .row(Row(kind: .insert, relation: relation, new: first.tuple))
        case (UInt8(ascii: "U"), UInt8(ascii: "N")):
            return .row(Row(kind: .update, relation: relation, new: first.tuple))
        case (UInt8(ascii: "U"), UInt8(ascii: "K")), (UInt8(ascii: "U"), UInt8(ascii: "O")):
            guard let second = tuple(&reader), second.kind == UInt8(ascii: "N") else { return nil }
            return .row(Row(kind: .update, relation: relation, old: first.tuple, new: second.tuple))
        case (UInt8(ascii: "D"), UInt8(ascii: "K")), (UInt8(ascii: "D"), UInt8(ascii: "O")):
            return .row(Row(kind: .delete, relation: relation, old: first.tuple))
        default: return nil
        }
    }

    private static func tuple(_ reader: inout ByteReader) -> (kind: UInt8, tuple: Tuple)? {
        guard let kind = reader.byte() else { return nil }
        let start = reader.offset
        guard reader.skipTuple() else { return nil }
        return (kind, Tuple(isKey: kind == UInt8(ascii: "K"), range: start..<reader.offset))
    }

    private static func truncation(_ reader: inout ByteReader) -> PgOutput? {
        guard let count = reader.uint32(), reader.skip(1), reader.remaining == Int(count) * 4 else {
            return nil
        }
        var relations: [UInt32] = []
        while let relation = reader.uint32() { relations.append(relation) }
        return .truncate(relations: relations)
    }

    private static func relation(_ reader: inout ByteReader) -> PgOutput? {
        guard let id = reader.uint32(), reader.skipText(), reader.skipText(), let identity = reader.byte(),
            let count = reader.uint16()
        else { return nil }
        var columns: [StreamedRelation.Column] = []
        for _ in 0..<count {
            guard let flags = reader.byte(), let name = reader.text(), let type = reader.uint32(),
                reader.skip(4)
            else { return nil }
            columns.append(.init(name: name, type: type, isInIdentity: flags & 1 != 0))
        }
        return .relation(
            StreamedRelation(id: id, columns: columns, isIdentityFull: identity == UInt8(ascii: "f")))
    }
}

/// A message of the replication protocol.
enum ReplicationFrame {
    /// A message of the output plugin.
    case output(UnsafeRawBufferPointer)
    /// A sign of life.
    ///
    /// - Parameters:
    ///   - position: the position in the log up to which everything was sent.
    ///   - requestsReply: whether the server ends the connection without a reply.
    case keepalive(position: UInt64, requestsReply: Bool)

    /// Decodes a message. Returns `nil` if it is malformed or unknown.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        switch reader.byte() {
        case UInt8(ascii: "w"):
            guard reader.skip(24) else { return nil }
            self = .output(reader.rest)
        case UInt8(ascii: "k"):
            guard let position = reader.uint64(), reader.skip(8), let reply = reader.byte() else {
                return nil
            }
            self = .keepalive(position: position, requestsReply: reply == 1)
        default: return nil
        }
    }
}

/// Reads numbers and texts from bytes, and nothing beyond their end.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    var remaining: Int { bytes.count - offset }
    var isAtEnd: Bool { remaining == 0 }
    /// The bytes that were not read.
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[offset...]) }

    mutating func byte() -> UInt8? { integer(UInt8.self) }
    mutating func uint16() -> UInt16? { integer(UInt16.self) }
    mutating func uint32() -> UInt32? { integer(UInt32.self) }
    mutating func uint64() -> UInt64? { integer(UInt64.self) }

    /// Skips bytes. Returns `false` if there are fewer.
    mutating func skip(_ count: Int) -> Bool {
        guard count <= remaining else { return false }
        offset += count
        return true
    }

    /// Skips a text with its NUL at the end.
    mutating func skipText() -> Bool {
        guard let end = bytes[offset...].firstIndex(of: 0) else { return false }
        offset = end + 1
        return true
    }

    /// Reads a text with its NUL at the end.
    mutating func text() -> String? {
        let start = offset
        guard skipText() else { return nil }
        return String(decoding: bytes[start..<offset - 1], as: UTF8.self)
    }

    /// Reads the value of a column: its kind, and the bytes of a text.
    mutating func value() -> (kind: UInt8, range: Range<Int>)? {
        guard let kind = byte() else { return nil }
        guard kind == UInt8(ascii: "t") || kind == UInt8(ascii: "b") else { return (kind, offset..<offset) }
        guard let length = uint32(), skip(Int(length)) else { return nil }
        return (kind, offset - Int(length)..<offset)
    }

    /// Skips the values of a row.
    mutating func skipTuple() -> Bool {
        guard let count = uint16() else { return false }
        for _ in 0..<count {
            // Besides texts: NULL, and a large value that was not changed.
            guard let kind = value()?.kind, [0x6e, 0x75, 0x74, 0x62].contains(kind) else { return false }
        }
        return true
    }

    private mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        guard remaining >= MemoryLayout<Number>.size else { return nil }
        defer { offset += MemoryLayout<Number>.size }
        return Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
}
