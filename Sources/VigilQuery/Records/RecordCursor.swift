public import VigilEngine

/// A cursor over the records of a statement, created by
/// ``FetchableRecord/fetchCursor(_:sql:arguments:adapter:)``.
///
/// ```swift
/// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
/// while let player = try players.next() { print(player.name) }
/// ```
public final class RecordCursor<Record: FetchableRecord>: DatabaseCursor {
    @usableFromInline let rows: RowCursor

    init(_ rows: RowCursor) {
        self.rows = rows
    }

    /// The statement of the cursor.
    public var _statement: Statement { rows._statement }

    /// Returns the next record, or `nil` after the last one.
    ///
    /// - Throws: `DatabaseError` if reading the row fails, and any error thrown by the record's `init(row:)`.
    @inlinable  // bench: decode-rows
    public func next() throws -> Record? {
        guard try rows.moveToNext() else { return nil }
        // The row is valid as long as its cursor.
        return try withExtendedLifetime(self) { try Record(row: rows.row) }
    }
}
