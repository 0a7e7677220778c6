public import VigilRegions
package import VigilStorage

/// A type that can be converted to a database region.
///
/// Regions, requests and tables are convertible. Conform your own type to observe it with
/// ``DatabaseRegionObservation``:
///
/// ```swift
/// struct Scores: DatabaseRegionConvertible {
///     func databaseRegion(_ db: Database) throws -> DatabaseRegion {
///         try db.makeStatement(sql: "SELECT score FROM player").databaseRegion
///     }
/// }
/// ```
public protocol DatabaseRegionConvertible: Sendable {
    /// Returns the region in the given database.
    ///
    /// - Throws: `DatabaseError`, for example if a table does not exist.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

/// A region that is that of a prepared statement, with everything that the backend knows about its reads.
package protocol StatementRegionConvertible: DatabaseRegionConvertible {}

extension DatabaseRegion: DatabaseRegionConvertible {
    /// Returns the region itself.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { self }
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
    /// The region that covers the whole database.
    public static var fullDatabase: DatabaseRegion { DatabaseRegion.fullDatabase }
}

/// A region that accumulates the reads of a block.
final class RegionRecording {
    var region = DatabaseRegion()
    /// Whether the region contains large values.
    var isLarge = false
    /// The position of the recording in the order of the connection's recordings, starting at 1.
    let number: Int
    /// Whether the last row of a result may bound the region: it is then observed only until the next fetch.
    let boundsResults: Bool
    /// The statements whose reads are recorded at the end of their run.
    private var unfinished: [Statement] = []

    init(number: Int, boundsResults: Bool) {
        self.number = number
        self.boundsResults = boundsResults
    }

    func addUnfinished(_ statement: Statement) {
        if !unfinished.contains(where: { $0 === statement }) { unfinished.append(statement) }
    }

    func removeUnfinished(_ statement: Statement) {
        unfinished.removeAll { $0 === statement }
    }

    /// Ends the recording before the runs of some statements have ended.
    func end() {
        for statement in unfinished { statement.recordUnboundedReads() }
        unfinished = []
    }
}

extension Database {
    /// Runs `block`, adds the region of its reads to `region`, and returns its result.
    ///
    /// ```swift
    /// var region = DatabaseRegion()
    /// let names = try db.recordingSelection(&region) {
    ///     try String.fetchAll(db, sql: "SELECT name FROM player")
    /// }
    /// print(region)  // player(name)
    /// ```
    ///
    /// Recordings nest: an outer recording includes the reads of the inner ones. The reads are added even if
    /// `block` throws.
    ///
    /// - Throws: the error of `block`.
    public func recordingSelection<T>(_ region: inout DatabaseRegion, _ block: () throws -> T) rethrows -> T {
        try recording(&region, boundsResults: false, block)
    }

    /// Runs `block`, and adds the region of its reads to `region`.
    ///
    /// - Parameter boundsResults: whether rows behind the last one that `block` has read may be left out.
    package func recording<T>(
        _ region: inout DatabaseRegion, boundsResults: Bool, _ block: () throws -> T
    ) rethrows -> T {
        checkConfinement()
        recordingCount += 1
        let recording = RegionRecording(number: recordingCount, boundsResults: boundsResults)
        recordings.append(recording)
        defer {
            recording.end()
            recordings.removeLast()
            region.formUnion(recording.region)
        }
        return try block()
    }

    /// Runs `body` without recording its reads.
    package func withoutRecording<T: ~Copyable>(_ body: () throws -> T) rethrows -> T {
        let recordings = recordings
        self.recordings = []
        defer { self.recordings = recordings }
        return try body()
    }

    /// Declares that the current fetch of an observation depends on a region, even if it does not read it.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking { db in
    ///     try db.registerAccess(to: Table("player"))
    ///     return loadPlayersFromCache()
    /// }
    /// ```
    ///
    /// Outside of a fetch, and of ``recordingSelection(_:_:)``, it has no effect.
    ///
    /// - Parameter region: the region, evaluated only if it is needed. Tables that do not exist yet are
    ///   observed too.
    /// - Throws: the error of the region, or `DatabaseError` if the schema cannot be read.
    public func registerAccess(to region: @autoclosure () -> some DatabaseRegionConvertible) throws {
        checkConfinement()
        guard !recordings.isEmpty else { return }
        try registerAccess(toAny: region())
    }

    func registerAccess(toAny region: any DatabaseRegionConvertible) throws {
        fetchContext?.fetch.readsMore = true
        // The reads of a statement include what a server does not report by table.
        let isNamed = !(region is any StatementRegionConvertible)
        record(try observable(region.databaseRegion(self), isNamed: isNamed))
    }

    /// - Parameter isLarge: whether the region contains large values. Its unions are not kept.
    func record(_ region: DatabaseRegion, isLarge: Bool = false) {
        for recording in recordings {
            if isLarge { recording.isLarge = true }
            if recording.isLarge {
                recording.region.formUnion(region)
            } else {
                recording.region = schema.cache.unions.union(recording.region, region)
            }
        }
    }

    /// Records unknown reads. The value of the current fetch may then change although the results
    /// of its statements stay the same.
    func recordUnknownReads() {
        fetchContext?.fetch.readsMore = true
        record(.fullDatabase)
    }

    /// Returns the observable part of a region: its stored tables, in the schema's spelling.
    ///
    /// Views are left out, because the region already contains their tables. If it contains none, the views
    /// depend on the schema alone. Table-valued functions are left out, because they store nothing.
    ///
    /// - Parameter isNamed: whether the tables were named by the app, and not by a compiled statement. A
    ///   named table stays in the region even if it does not exist, because it may be created later.
    func observable(_ region: DatabaseRegion, isNamed: Bool = false) throws -> DatabaseRegion {
        if region.isFullDatabase { return region }
        // The reads of statements are stored tables already.
        if schemaNaming.unreportedTable != nil { return isNamed ? includingUnreported(region) : region }
        try checkSchema()
        if let last = schema.cache.lastObservable, !isNamed, last.region.isSameInstance(as: region) {
            return last.observable
        }
        var schemas = DatabaseRegion()
        let (tables, attached) = try notingAttachedSchemas {
            try region.mapTables { name in
                if let schemaTable = schemaNaming.schemaTable(denotedBy: name) { return schemaTable }
                guard let table = try table(name) else {
                    return isNamed && !schemaNaming.isInternal(name.name) ? name : nil
                }
                guard table.kind == .view else { return table.name }
                schemas.formUnion(DatabaseRegion(table: schemaNaming.schemaTable(of: table.name.schema)))
                return nil
            }
        }
        let observable = tables.isEmpty ? schemas : tables
        if !isNamed, attached.isEmpty { schema.cache.lastObservable = (region, observable) }
        return observable
    }

    /// Returns a region that remains correct although it is not derived again with each fetch, even if the
    /// backend stops reporting its tables, or if they are views.
    func includingUnreported(_ region: DatabaseRegion) -> DatabaseRegion {
        guard let table = schemaNaming.unreportedTable else { return region }
        return region.union(DatabaseRegion(table: table))
    }

    /// Returns the table or view with an unqualified name in a statement; `nil` if it does not exist.
    package func table(named name: String) throws -> StorageTable? {
        guard schemaReading != nil else {
            return try storage { () throws(StorageError) in try connection.table(name, in: nil) }
        }
        let names = try withoutRecording({ try schemas(nil) }).map { TableName(schema: $0, name: name) }
        if roles.server == nil {
            // A database is read only if those before it do not have the table.
            for name in names {
                if let found = try table(name) { return found }
            }
            return nil
        }
        // Another connection can create a table in any of them.
        for name in names { try willCache(name) }
        return try storage { () throws(StorageError) in try connection.table(name, in: nil) }
    }

    /// Returns a table or view of the schema; `nil` without one. Tables are cached until the schema changes.
    func table(_ name: TableName) throws -> StorageTable? {
        try checkSchema(of: name.schema)
        if let known = schema.cache.tables[name] { return known }
        try willCache(name)
        let table = try storage { () throws(StorageError) in try connection.table(name.name, in: name.schema)
        }
        if let table { schema.cache.tables[name] = table }
        return table
    }
}

extension Statement {
    /// Returns the region of an observation of this statement: ``databaseRegion`` in the schema's spelling,
    /// without views and table-valued functions.
    ///
    /// Views are left out because the region already contains their tables. Every change of the schema
    /// modifies its own table, such as `sqlite_master` in SQLite. It stands for views without tables.
    ///
    /// ```swift
    /// let region = try dbQueue.read { db in
    ///     try db.makeStatement(sql: "SELECT MAX(Score) FROM Player").observedRegion(db)
    /// }
    /// print(region)  // player(score)
    /// ```
    ///
    /// If the region is empty, no change that the database reports can modify the result of the statement.
    ///
    /// - Throws: `DatabaseError` if the schema cannot be read.
    public func observedRegion(_ db: Database) throws -> DatabaseRegion {
        try db.observable(reportedRegion)
    }
}
