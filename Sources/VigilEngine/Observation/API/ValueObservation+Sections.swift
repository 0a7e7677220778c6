public import VigilLists
public import VigilRegions

extension ValueObservation {
    /// Notifies of the rows of an observed list in sections, see `ObservedSections`.
    ///
    /// Only changed rows are assigned to sections again:
    ///
    /// ```swift
    /// let observation = ValueObservation.trackingList(Player.order(\.team, \.name)).sections { $0.team }
    /// ```
    ///
    /// - Parameter id: Returns the id of a row's section, which must depend on nothing but the row. Rows with
    ///   equal ids should be adjacent. It runs off the database connection, and is never called concurrently.
    public func sections<ID: Hashable & Sendable, Element: Sendable>(
        by id: @escaping @Sendable (Element) -> ID
    ) -> ValueObservation<ValueReducers.Sections<Reducer, ID, Element>>
    where Reducer.Value == ObservedList<Element> {
        derived(.init(base: reducer, id: id))
    }
}

extension ValueReducers {
    /// Assigns the rows of a list to sections. See ``ValueObservation/sections(by:)``.
    public struct Sections<Base: ValueReducer, ID: Hashable & Sendable, Element: Sendable>: ValueReducer
    where Base.Value == ObservedList<Element> {
        var base: Base
        let id: @Sendable (Element) -> ID
        /// The latest sections, from which the next ones are computed.
        var latest = ObservedSections<ID, Element>()

        /// Runs the fetch of the observation.
        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        /// Returns the sections, or `nil` if `Base` delivers none.
        public mutating func _value(
            _ fetched: Base.Fetched, at commit: CommitNumber
        ) throws -> ObservedSections<ID, Element>? {
            guard let list = try base._value(fetched, at: commit) else { return nil }
            latest = list.sections(updating: latest, by: id)
            return latest
        }

        /// Always `false`: the assignment may take time.
        public static var _isTrivial: Bool { false }
    }
}
