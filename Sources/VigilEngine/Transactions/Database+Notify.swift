import VigilRegions
import VigilStorage

extension Database {
    /// Tells observers that something in a region was changed that the database does not report by itself: by another
    /// process, for example.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try db.notifyChanges(in: DatabaseRegion(table: "player"))
    /// }
    /// ```
    ///
    /// Observers of transactions get `databaseDidChange()` if they observe any kind of change of the region. When the
    /// transaction is committed, observations of values and of regions take what they read in those tables for changed.
    /// Outside of a transaction the notification is a transaction by itself. From an access that only reads it does
    /// nothing. Tables that do not exist are ignored.
    ///
    /// - Throws: `DatabaseError` if the schema cannot be read; outside of a transaction, the error with which an
    ///   observer prevented the commit.
    public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
        guard let changes, readOnlyDepth == 0, !configuration.readonly else { return }
        let region = try region.databaseRegion(self)
        let parts = try changeableParts(of: region)
        guard !parts.isEmpty else { return }
        let kinds = parts.flatMap { table, columns -> [DatabaseEventKind] in
            [
                .delete(tableName: table.name), .insert(tableName: table.name),
                .update(tableName: table.name, columnNames: columns),
            ]
        }
        let events = region.isFullDatabase ? [ChangeEvent.database] : parts.map { .table($0.table) }
        try outsideTransactionBlocks { try changes.notify(events, kinds: kinds, self) }
    }

    /// The existing tables of a region, in the schema's spelling, with the columns that the region has of them.
    private func changeableParts(
        of region: DatabaseRegion
    ) throws -> [(table: TableName, columns: Set<String>)] {
        guard !region.isFullDatabase else {
            let tables = try storage { () throws(StorageError) in try connection.tables() }
            return try tables.compactMap { try table($0) }.map { ($0.name, Set($0.columns.map(\.name))) }
        }
        return try region.tables.compactMap { part in
            guard let table = try changeableTable(part.table), table.kind != .view else { return nil }
            let columns = table.columns.map(\.name).filter { column in
                part.columns?.contains { $0.isSameName(as: column) } ?? true
            }
            return (table.name, Set(columns))
        }
    }

    /// A table that was named without its schema may be in another than `main`.
    private func changeableTable(_ name: TableName) throws -> StorageTable? {
        if let table = try table(name) { return table }
        guard name.schema.isSameName(as: "main") else { return nil }
        return try storage { () throws(StorageError) in try connection.table(name.name, in: nil) }
    }
}
