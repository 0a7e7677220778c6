import VigilEngine

/// The decoder of a record type for all rows of a cursor.
///
/// A cursor reuses one `Row` object, so one decoder and one keyed container can decode each of its rows. The
/// row retains its kept decoders, as a linked list of one for each record type, and releases them with the
/// cursor. A kept decoder and the row retain each other until the cursor makes the row release its decoders.
final class CursorDecoder {
    private let record: ObjectIdentifier
    private let plan: RecordPlan
    /// `nil` for the rows of scopes: a scope is another `Row` object for each row.
    private let decoder: RecordDecoder?
    @exclusivity(unchecked)  // bench: decode-records
    private var container: AnyObject?
    /// The first requested coding keys, in ``container``.
    @exclusivity(unchecked)  // bench: decode-records
    private var keys: ObjectIdentifier?
    /// The decoder of another record type.
    @exclusivity(unchecked)  // bench: decode-records
    private var other: CursorDecoder?

    private init(_ record: any FetchableRecord.Type, row: Row, plan: RecordPlan) {
        self.record = ObjectIdentifier(record)
        self.plan = plan
        decoder = row.isReused ? RecordDecoder(row: row, plan: plan, codingPath: [], isKept: true) : nil
    }

    static func decoder(of record: any FetchableRecord.Type, _ row: Row) -> RecordDecoder {
        if let kept = find(record, row) {
            kept.plan.restart()
            return kept.decoder ?? RecordDecoder(row: row, plan: kept.plan, codingPath: [])
        }
        let plan = RecordPlan(record, row)
        return keep(plan, row)?.decoder ?? RecordDecoder(row: row, plan: plan, codingPath: [])
    }

    static func plan(of record: any FetchableRecord.Type, _ row: Row) -> RecordPlan {
        if let kept = find(record, row) {
            kept.plan.restart()
            return kept.plan
        }
        let plan = RecordPlan(record, row)
        _ = keep(plan, row)
        return plan
    }

    private static func first(_ row: Row) -> CursorDecoder? {
        row.decoders.map { unsafeDowncast($0, to: CursorDecoder.self) }
    }

    @inline(__always)  // bench: decode-records
    private static func find(_ record: any FetchableRecord.Type, _ row: Row) -> CursorDecoder? {
        let record = ObjectIdentifier(record)
        var known = first(row)
        while let kept = known, kept.record != record { known = kept.other }
        return known
    }

    /// Keeps a plan with the rows of a cursor and of its scopes.
    private static func keep(_ plan: RecordPlan, _ row: Row) -> CursorDecoder? {
        guard row.isCurrent else { return nil }
        let kept = CursorDecoder(plan.record, row: row, plan: plan)
        if let first = first(row) {
            kept.other = first.other
            first.other = kept
        } else {
            row.decoders = kept
        }
        return kept
    }

    /// Returns a keyed container of a kept decoder.
    @inline(__always)  // bench: decode-records
    static func container<Key: CodingKey>(
        keyedBy type: Key.Type, of decoder: RecordDecoder
    ) -> KeyedDecodingContainer<Key> {
        var known = first(decoder.row)
        while let kept = known, kept.decoder !== decoder { known = kept.other }
        guard let known else { return KeyedDecodingContainer(RecordContainer<Key>(decoder: decoder)) }
        if let container = known.container, known.keys == ObjectIdentifier(type) {
            return unsafeDowncast(container, to: CursorContainer<Key>.self).container
        }
        return known.newContainer(keyedBy: type, of: decoder)
    }

    /// Creates a container, and keeps it if it is requested for the second time, in the second row: most
    /// cursors over one row are fetches of a single record.
    private func newContainer<Key: CodingKey>(
        keyedBy type: Key.Type, of decoder: RecordDecoder
    ) -> KeyedDecodingContainer<Key> {
        let new = KeyedDecodingContainer(RecordContainer<Key>(decoder: decoder))
        if keys == nil {
            keys = ObjectIdentifier(type)
        } else if container == nil, keys == ObjectIdentifier(type) {
            container = CursorContainer(new)
        }
        return new
    }
}

/// A keyed container as an object.
private final class CursorContainer<Key: CodingKey> {
    let container: KeyedDecodingContainer<Key>

    init(_ container: KeyedDecodingContainer<Key>) {
        self.container = container
    }
}
