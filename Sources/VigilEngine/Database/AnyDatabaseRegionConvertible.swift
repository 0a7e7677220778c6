public import VigilRegions

/// A region of any convertible type.
///
/// ```swift
/// let scores = AnyDatabaseRegionConvertible { db in
///     try db.makeStatement(sql: "SELECT score FROM player").databaseRegion
/// }
/// let observation = DatabaseRegionObservation(tracking: scores, Table("team"))
/// ```
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
    private let region: @Sendable (Database) throws -> DatabaseRegion

    /// Creates a region from a closure.
    public init(_ region: @escaping @Sendable (Database) throws -> DatabaseRegion) {
        self.region = region
    }

    /// Creates a region by wrapping another.
    public init(_ region: some DatabaseRegionConvertible) {
        self.region = { try region.databaseRegion($0) }
    }

    /// Returns the wrapped region, or throws its error.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}

extension Array: DatabaseRegionConvertible where Element: DatabaseRegionConvertible {
    /// Returns the union of the regions of the elements.
    ///
    /// ```swift
    /// let tables = ["player", "team"].map { Table($0) }
    /// try dbQueue.write { db in try db.notifyChanges(in: tables) }
    /// ```
    ///
    /// - Throws: The first error of an element.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try unionOfRegions(db)
    }
}

extension Set: DatabaseRegionConvertible where Element: DatabaseRegionConvertible {
    /// Returns the union of the regions of the elements.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try unionOfRegions(db)
    }
}

extension Sequence where Element: DatabaseRegionConvertible {
    fileprivate func unionOfRegions(_ db: Database) throws -> DatabaseRegion {
        try reduce(into: DatabaseRegion()) { union, element in
            try union.formUnion(element.databaseRegion(db))
        }
    }
}

extension [any DatabaseRegionConvertible] {
    func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try reduce(into: DatabaseRegion()) { try $0.formUnion($1.databaseRegion(db)) }
    }
}
