/// The difference between two values of sections.
///
/// The changes apply like batch updates of UIKit and AppKit: remove the rows in ``removed`` and the moved
/// ones, and the sections in ``removedSections`` and the moved ones; then insert the others in ascending
/// order of their places in the newer value. Rows of removed and inserted sections are not listed: they
/// leave and come with their section.
public struct SectionChange: Sendable, Equatable {
    /// A row with a new place among the other rows of its section, or in another section.
    public struct Move: Sendable, Equatable {
        /// The place in the older value.
        public var from: SectionPath
        /// The place in the newer value.
        public var to: SectionPath
    }

    /// The indices in the older value of sections missing from the newer one.
    public var removedSections = RangeSet<Int>()
    /// The indices in the newer value of sections missing from the older one.
    public var insertedSections = RangeSet<Int>()
    /// The moved sections, by ascending index in the newer value: as few as possible.
    public var movedSections: [ListChange.Move] = []
    /// The places in the older value of removed rows, and of rows that are in an inserted section now.
    public var removed: [SectionPath] = []
    /// The places in the newer value of inserted rows, and of rows that were in a removed section.
    public var inserted: [SectionPath] = []
    /// The moved rows, by ascending place in the newer value.
    public var moved: [Move] = []
    /// The places in the newer value of all rows with a changed element, moved rows included.
    public var updated: [SectionPath] = []

    /// No change.
    package init() {}
}

extension ObservedSections {
    /// Returns the difference between older sections, by the same function, and these.
    ///
    /// For two versions of one observation, this takes O(*s* + *c* log *n*) for *s* sections and *c* changed
    /// rows of *n*, and otherwise O(*n*), also if several sections have the same id. See
    /// ``ObservedList/changes(since:)`` for how rows are compared.
    public func changes(since older: ObservedSections) -> SectionChange {
        let runs = older.ids === ids ? older.places.runs : ids.runs(older.places.runs, of: older.ids)
        let rows = rows.changes(since: older.rows)
        return SectionDifference(rows, from: SectionPlaces(runs), to: places, count: self.rows.count).change
    }
}
