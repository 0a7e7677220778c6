public import VigilRegions
package import VigilStorage

/// Something that stands for a region of a database.
public protocol DatabaseRegionConvertible: Sendable {
    /// - Throws: `DatabaseError`, for example if a table is missing.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegion: DatabaseRegionConvertible {
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { self }
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
    /// Anything in the database.
    public static var fullDatabase: DatabaseRegion { DatabaseRegion.fullDatabase }
}

/// A region that is being recorded.
final class RegionRecording {
    var region = DatabaseRegion()
}

extension Database {
    /// Adds to `region` what `block` reads.
    ///
    /// Recordings nest: what an inner one records, the outer one records too.
    public func recordingSelection<T>(_ region: inout DatabaseRegion, _ block: () throws -> T) rethrows -> T {
        checkConfinement()
        let recording = RegionRecording()
        recordings.append(recording)
        defer {
            recordings.removeLast()
            region.formUnion(recording.region)
        }
        return try block()
    }

    func record(_ region: DatabaseRegion) {
        for recording in recordings { recording.region.formUnion(region) }
    }

    /// The part of a region that can be observed: stored tables, in the schema's spelling. What views read is in the
    /// region by itself; table-valued functions store nothing.
    ///
    /// - Parameter isNamed: whether somebody named the tables, rather than a statement that was compiled. A table that is
    ///   not there is then observed all the same: it may come.
    func observable(_ region: DatabaseRegion, isNamed: Bool = false) throws -> DatabaseRegion {
        try region.mapTables { name in
            if let schemaTable = name.asSchemaTable { return schemaTable }
            guard let table = try table(name) else { return isNamed && !name.isInternal ? name : nil }
            return table.kind == .view ? nil : table.name
        }
    }

    /// The table or view that an unqualified name means to a statement; `nil` if there is none.
    package func table(named name: String) throws -> StorageTable? {
        try storage { () throws(StorageError) in try connection.table(name, in: nil) }
    }

    /// What the schema says about a table, remembered until the schema changes.
    func table(_ name: TableName) throws -> StorageTable? {
        try checkSchema()
        if let known = schema.tables[name] { return known }
        let table = try storage { () throws(StorageError) in try connection.table(name.name, in: name.schema)
        }
        if let table { schema.tables[name] = table }
        return table
    }
}

extension Statement {
    /// What an observation of this statement's rows observes: ``databaseRegion`` in the schema's spelling, without
    /// views, whose tables are in it by themselves, and without table-valued functions. Every change of the schema
    /// changes `sqlite_master`.
    ///
    /// ```swift
    /// let region = try dbQueue.read { db in
    ///     try db.makeStatement(sql: "SELECT MAX(Score) FROM Player").observedRegion(db)
    /// }
    /// print(region)  // player(score)
    /// ```
    ///
    /// If it is empty, nothing that is written changes what the statement returns, as far as the database can tell.
    ///
    /// - Throws: `DatabaseError` if the schema cannot be read.
    public func observedRegion(_ db: Database) throws -> DatabaseRegion {
        try db.observable(databaseRegion)
    }
}

extension TableName {
    fileprivate var isInternal: Bool {
        let folded = name.foldedName
        return folded.hasPrefix("sqlite_") || folded.hasPrefix("pragma_")
    }
}
