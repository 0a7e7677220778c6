import VigilRegions
package import VigilStorage

/// How a statement's rows are followed.
package struct ListPlan: Sendable, Hashable {
    package var shape: ListShape
    /// The sources whose changed rows are looked up one by one. Sources outside the optional sides of joins
    /// can be followed.
    package var followed: [Int]
    /// The tables whose changes require a full fetch.
    package var watched: [TableName]
    /// Whether the library rounds an integer when it compares it with a floating-point number.
    package var roundsLargeIntegers = false

    package init(shape: ListShape, followed: [Int], watched: [TableName] = []) {
        self.shape = shape
        self.followed = followed
        self.watched = watched
    }

    /// Returns the parts of a region in watched tables.
    func watchedRegion(in region: DatabaseRegion?) -> DatabaseRegion {
        if region == .fullDatabase { return .fullDatabase }
        let tables = watched.reduce(DatabaseRegion()) { $0.union(DatabaseRegion(table: $1)) }
        return region.map(tables.intersection) ?? tables
    }
}
