import VigilStorage

// Methods that return another cursor. They read nothing until that cursor is iterated.
extension Cursor {
    /// Returns a cursor over pairs of an index, which starts at zero, and an element.
    public func enumerated() -> EnumeratedCursor<Self> { EnumeratedCursor(self) }

    /// Returns a cursor over the elements that satisfy a predicate.
    public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
        FilterCursor(self, isIncluded)
    }

    /// Returns a cursor over the transformed elements.
    public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
        MapCursor(self, transform)
    }

    /// Returns a cursor over the results of `transform` that are not `nil`.
    public func compactMap<ElementOfResult>(
        _ transform: @escaping (Element) throws -> ElementOfResult?
    ) -> MapCursor<FilterCursor<MapCursor<Self, ElementOfResult?>>, ElementOfResult> {
        map(transform).filter { $0 != nil }.map { element in
            guard let element else { trap("the filter passed nil") }
            return element
        }
    }

    /// Returns a cursor over the elements of the sequences that `transform` returns.
    public func flatMap<SegmentOfResult: Sequence>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, AnyCursor<SegmentOfResult.Element>>> {
        flatMap { try AnyCursor(transform($0)) }
    }

    /// Returns a cursor over the elements of the cursors that `transform` returns.
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, SegmentOfResult>> {
        map(transform).joined()
    }

    /// Returns a cursor without the first `n` elements.
    ///
    /// - Precondition: `n` is not negative.
    public func dropFirst(_ n: Int) -> DropFirstCursor<Self> { DropFirstCursor(self, n) }

    /// Returns a cursor without the first element.
    public func dropFirst() -> DropFirstCursor<Self> { dropFirst(1) }

    /// Returns a cursor that skips the first elements while they satisfy a predicate.
    public func drop(while predicate: @escaping (Element) throws -> Bool) -> DropWhileCursor<Self> {
        DropWhileCursor(self, predicate)
    }

    /// Returns a cursor over the first elements, up to `maxLength`.
    ///
    /// - Precondition: `maxLength` is not negative.
    public func prefix(_ maxLength: Int) -> PrefixCursor<Self> { PrefixCursor(self, maxLength) }

    /// Returns a cursor over the first elements, while they satisfy a predicate.
    public func prefix(while predicate: @escaping (Element) throws -> Bool) -> PrefixWhileCursor<Self> {
        PrefixWhileCursor(self, predicate)
    }
}

extension Cursor where Element: Cursor {
    /// Returns a cursor over the elements of the cursors, in order.
    public func joined() -> FlattenCursor<Self> { FlattenCursor(self) }
}

extension Cursor where Element: Sequence {
    /// Returns a cursor over the elements of the sequences, in order.
    public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> { flatMap { $0 } }
}

extension Sequence {
    /// Returns a cursor over the elements of the cursors that `transform` returns.
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<AnyCursor<Element>, SegmentOfResult>> {
        AnyCursor(self).flatMap(transform)
    }
}
