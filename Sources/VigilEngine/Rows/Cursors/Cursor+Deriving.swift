// What ends in another cursor: nothing is read before that one is iterated.
extension Cursor {
    /// Pairs of a number, from zero on, and an element.
    public func enumerated() -> EnumeratedCursor<Self> { EnumeratedCursor(self) }

    /// The elements that satisfy `isIncluded`.
    public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
        FilterCursor(self, isIncluded)
    }

    /// What `transform` makes of the elements.
    public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
        MapCursor(self, transform)
    }

    /// What `transform` makes of the elements, without `nil`.
    public func compactMap<ElementOfResult>(
        _ transform: @escaping (Element) throws -> ElementOfResult?
    ) -> MapCursor<FilterCursor<MapCursor<Self, ElementOfResult?>>, ElementOfResult> {
        map(transform).filter { $0 != nil }.map { element in
            guard let element else { preconditionFailure("the filter let nil pass") }
            return element
        }
    }

    /// The elements of the sequences that `transform` makes of the elements.
    public func flatMap<SegmentOfResult: Sequence>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, AnyCursor<SegmentOfResult.Element>>> {
        flatMap { try AnyCursor(transform($0)) }
    }

    /// The elements of the cursors that `transform` makes of the elements.
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, SegmentOfResult>> {
        map(transform).joined()
    }

    /// The elements after the first `n`.
    ///
    /// - Precondition: `n` is not negative.
    public func dropFirst(_ n: Int) -> DropFirstCursor<Self> { DropFirstCursor(self, n) }

    /// The elements after the first.
    public func dropFirst() -> DropFirstCursor<Self> { dropFirst(1) }

    /// The elements from the first on that does not satisfy `predicate`.
    public func drop(while predicate: @escaping (Element) throws -> Bool) -> DropWhileCursor<Self> {
        DropWhileCursor(self, predicate)
    }

    /// The first elements, at most `maxLength`.
    ///
    /// - Precondition: `maxLength` is not negative.
    public func prefix(_ maxLength: Int) -> PrefixCursor<Self> { PrefixCursor(self, maxLength) }

    /// The elements before the first that does not satisfy `predicate`.
    public func prefix(while predicate: @escaping (Element) throws -> Bool) -> PrefixWhileCursor<Self> {
        PrefixWhileCursor(self, predicate)
    }
}

extension Cursor where Element: Cursor {
    /// The elements of the elements.
    public func joined() -> FlattenCursor<Self> { FlattenCursor(self) }
}

extension Cursor where Element: Sequence {
    /// The elements of the elements.
    public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> { flatMap { $0 } }
}

extension Sequence {
    /// The elements of the cursors that `transform` makes of the elements.
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<AnyCursor<Element>, SegmentOfResult>> {
        AnyCursor(self).flatMap(transform)
    }
}
