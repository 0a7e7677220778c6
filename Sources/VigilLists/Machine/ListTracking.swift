import VigilRegions
package import VigilStorage

/// The tables whose changed rows a list follows, and those whose changes require a full fetch.
package struct ListTracking: Sendable, Hashable {
    package var shape: ListShape
    /// The sources whose changed rows are looked up one by one. Sources outside the optional sides of joins
    /// can be followed.
    package var followed: [Int]
    /// The tables whose changes require a full fetch.
    package var watched: [TableName]
    /// A link of the plan.
    package struct Link: Sendable, Hashable {
        /// The number of the link in the plan.
        package let number: Int
        let table: TableName
        let source: Int
    }
    /// The tables whose changed rows lead to rows of followed sources.
    package var links: [Link] = []
    /// The rows that the list shows; `nil` for all.
    package var window: WindowRange?
    /// Whether the library rounds an integer when it compares it with a floating-point number.
    package var roundsLargeIntegers = false

    package init(
        shape: ListShape, followed: [Int], watched: [TableName] = [], window: WindowRange? = nil
    ) {
        self.shape = shape
        self.followed = followed
        self.watched = watched
        self.window = window
    }

    /// Follows all tables that a plan can follow.
    ///
    /// - Parameter window: the rows to show; `nil` for all.
    package init(_ plan: ListPlan, window: WindowRange? = nil) {
        self.window = window
        shape = ListShape(
            sources: plan.sources.map { .init($0.table, isOptional: $0.isOptional) }, terms: plan.terms)
        followed = plan.sources.indices.filter { plan.sources[$0].rowSQL != nil }
        watched = plan.watched.map(\.table)
        links = plan.links.enumerated().map { Link(number: $0, table: $1.table, source: $1.source) }
        roundsLargeIntegers = plan.roundsLargeIntegers
    }

    /// Returns the parts of a region in watched tables.
    func watchedRegion(in region: DatabaseRegion?) -> DatabaseRegion {
        if region == .fullDatabase { return .fullDatabase }
        let tables = watched.reduce(DatabaseRegion()) { $0.union(DatabaseRegion(table: $1)) }
        return region.map(tables.intersection) ?? tables
    }
}
