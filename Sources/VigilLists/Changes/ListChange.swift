import VigilStorage

/// The difference between two versions of a list.
///
/// The changes apply to the older list like batch updates of UIKit and AppKit: remove the elements at the
/// offsets in ``removed`` and the moved ones, then insert the others in ascending order of their offsets in
/// the newer list.
///
/// ```swift
/// let change = list.changes(since: shown)
/// print("\(change.inserted.ranges.count) ranges are new")
/// ```
public struct ListChange: Sendable, Equatable {
    /// A row with a new place among the other rows.
    public struct Move: Sendable, Equatable {
        /// The offset in the older list.
        public var from: Int
        /// The offset in the newer list.
        public var to: Int
    }

    /// The offsets in the older list of rows missing from the newer one, without moved rows.
    public var removed: RangeSet<Int>
    /// The offsets in the newer list of rows missing from the older one, without moved rows.
    public var inserted: RangeSet<Int>
    /// The moved rows, by ascending offset in the newer list: as few as possible, given that rows with
    /// unchanged sort values do not move.
    public var moved: [Move]
    /// The offsets in the newer list of all rows with a changed element, moved rows included.
    public var updated: RangeSet<Int>

    /// No change.
    package init() {
        removed = RangeSet()
        inserted = RangeSet()
        moved = []
        updated = RangeSet()
    }

    package var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }

    /// Returns the change from `older` to `newer`, the compared lists, as a difference of collections.
    ///
    /// Updated and moved rows are removed and inserted. The two steps of a moved row refer to each other.
    public func difference<E>(
        from older: ObservedList<E>, to newer: ObservedList<E>
    ) -> CollectionDifference<E> {
        typealias Step = CollectionDifference<E>.Change
        var steps = removed.ranges.flatMap { range in
            range.map { Step.remove(offset: $0, element: older[$0], associatedWith: nil) }
        }
        steps += inserted.ranges.flatMap { range in
            range.map { Step.insert(offset: $0, element: newer[$0], associatedWith: nil) }
        }
        for move in moved {
            steps.append(.remove(offset: move.from, element: older[move.from], associatedWith: move.to))
            steps.append(.insert(offset: move.to, element: newer[move.to], associatedWith: move.from))
        }
        for (from, to) in updatedInPlace() {
            steps.append(.remove(offset: from, element: older[from], associatedWith: nil))
            steps.append(.insert(offset: to, element: newer[to], associatedWith: nil))
        }
        guard let difference = CollectionDifference(steps) else {
            trap("the change does not belong to these lists")
        }
        return difference
    }

    /// The offsets in both lists of updated rows at an unchanged place.
    func updatedInPlace() -> [(from: Int, to: Int)] { inPlace(updated) }

    /// The offsets in both lists of all rows at an unchanged place.
    ///
    /// - Parameter count: the number of rows of the newer list.
    func inPlace(of count: Int) -> [(from: Int, to: Int)] { inPlace(RangeSet(0..<count)) }

    /// The offsets in both lists of the rows at an unchanged place, among some rows of the newer list.
    private func inPlace(_ rows: RangeSet<Int>) -> [(from: Int, to: Int)] {
        var left = removed
        var entered = inserted
        for move in moved {
            left.insert(contentsOf: move.from..<move.from + 1)
            entered.insert(contentsOf: move.to..<move.to + 1)
        }
        let leaving = left.ranges
        var nextLeaving = 0
        var leftBefore = 0
        let entering = entered.ranges
        var nextEntering = 0
        var enteredBefore = 0
        var offsets: [(from: Int, to: Int)] = []
        for to in rows.subtracting(entered).ranges.joined() {
            while nextEntering < entering.count, entering[nextEntering].lowerBound <= to {
                enteredBefore += entering[nextEntering].count
                nextEntering += 1
            }
            // The rank among the rows present in both lists, moved rows excluded.
            let rank = to - enteredBefore
            while nextLeaving < leaving.count, leaving[nextLeaving].lowerBound <= rank + leftBefore {
                leftBefore += leaving[nextLeaving].count
                nextLeaving += 1
            }
            offsets.append((rank + leftBefore, to))
        }
        return offsets
    }
}

extension ObservedList {
    /// Returns the difference between an older list and this one.
    ///
    /// For two versions of one observation, this takes O(*c* log *n*) for *c* changed rows of *n*, otherwise
    /// O(*n*). The older list can be any earlier one, not only the previous value.
    ///
    /// Rows are compared by their identity. If a list is not followed row by row, `Identifiable` elements are
    /// compared by their ids. Others are replaced, except for equal elements at the beginning and the end.
    ///
    /// An element fetched again counts as updated unless it is `Equatable` and equal.
    public func changes(since older: ObservedList) -> ListChange {
        if version === older.version { return ListChange() }
        if let tree = version?.tree, let olderTree = older.version?.tree, tree.shape == olderTree.shape {
            return treeDifference(since: older, tree.shape).change
        }
        return UnkeyedDifference(older, self).change
    }

    private func treeDifference(since older: ObservedList, _ shape: ListShape) -> ListDifference {
        let areEqual = version?.traits(of: Element.self).areEqual
        return TreeDifference(from: older.version?.root, to: version?.root) { old, new in
            old.leaf.withElements(of: Element.self) { elements in
                new.leaf.withElements(of: Element.self) { areEqual?(elements[old.index], $0[new.index]) }
            } ?? false
        }
        .difference(shape)
    }
}
