public import VigilEngine

/// A cursor over records.
public final class RecordCursor<Record: FetchableRecord>: DatabaseCursor {
    @usableFromInline let rows: RowCursor

    init(_ rows: RowCursor) {
        self.rows = rows
    }

    public var _statement: Statement { rows._statement }

    /// - Throws: what the record throws when it is made of a row; `DatabaseError` if reading fails.
    @inlinable  // bench: decode-rows
    public func next() throws -> Record? {
        guard let row = try rows.next() else { return nil }
        return try Record(row: row)
    }
}
