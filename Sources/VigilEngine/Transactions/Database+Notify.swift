import VigilRegions
import VigilStorage

extension Database {
    /// Notifies observers of changes in a region that the database does not report, for example by another
    /// process.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try db.notifyChanges(in: DatabaseRegion(table: "player"))
    /// }
    /// ```
    ///
    /// Transaction observers of any kind of change in the region receive `databaseDidChange()`. When the
    /// transaction is committed, observations of values and of regions treat all their reads from these
    /// tables as changed.
    ///
    /// Outside of a transaction, the notification forms a transaction of its own. Inside a read-only access,
    /// it has no effect. Missing tables are ignored.
    ///
    /// - Throws: `DatabaseError` if the schema cannot be read; outside of a transaction, the error of an
    ///   observer preventing the commit.
    public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
        guard let coordinator, !activity.isReadOnly, !configuration.readonly else { return }
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
        if let feed = coordinator.feed { notifyAfterCommit(feed) }
        try outsideTransactionBlocks { try coordinator.notify(events, kinds: kinds, self) }
    }

    /// Notifies the observers of a feed, which does not report what the database does not know.
    private func notifyAfterCommit(_ feed: FeedCoordinator) {
        guard isInsideTransaction else { return feed.recordUnknownChange() }
        afterNextTransaction(onCommit: { _ in feed.recordUnknownChange() })
    }

    /// Returns the existing tables of a region, in the schema's spelling, with their columns in the region.
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

    /// Returns the metadata of a table. A name without a schema may refer to a table outside of `main`.
    private func changeableTable(_ name: TableName) throws -> StorageTable? {
        if let table = try table(name) { return table }
        guard name.schema.isSameName(as: SchemaNaming.main) else { return nil }
        return try storage { () throws(StorageError) in try connection.table(name.name, in: nil) }
    }
}
