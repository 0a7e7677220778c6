import VigilStorage

/// The difference between two versions of a list.
///
/// The changes apply to the older list as batch updates of UIKit and AppKit do: remove the elements at all offsets of
/// ``removed``, and those that moved, then insert the others in ascending order of their offsets in the newer list.
///
/// ```swift
/// let change = list.changes(since: shown)
/// print("\(change.inserted.ranges.count) ranges are new")
/// ```
public struct ListChange: Sendable, Equatable {
    /// A row that comes before or after other rows than it did.
    public struct Move: Sendable, Equatable {
        /// The offset in the older list.
        public var from: Int
        /// The offset in the newer list.
        public var to: Int
    }

    /// The offsets in the older list of the rows that are not in the newer one. Rows that moved are not among them.
    public var removed: RangeSet<Int>
    /// The offsets in the newer list of the rows that are not in the older one. Rows that moved are not among them.
    public var inserted: RangeSet<Int>
    /// The rows that moved, by ascending offset in the newer list. There are as few as possible, provided that rows
    /// with unchanged sort values stay where they are.
    public var moved: [Move]
    /// The offsets in the newer list of the rows with a different element, including rows that moved.
    public var updated: RangeSet<Int>

    /// No change.
    package init() {
        removed = RangeSet()
        inserted = RangeSet()
        moved = []
        updated = RangeSet()
    }

    package var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }

    /// Returns the change as a difference of collections.
    ///
    /// A row that was updated is removed and inserted. A row that moved is too, and the two steps refer to each other.
    ///
    /// - Parameters:
    ///   - older: the list from which the change was computed.
    ///   - newer: the list to which it leads.
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

    /// The offsets in both lists of the rows that were updated and did not move.
    private func updatedInPlace() -> [(from: Int, to: Int)] {
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
        for to in updated.subtracting(entered).ranges.joined() {
            while nextEntering < entering.count, entering[nextEntering].lowerBound <= to {
                enteredBefore += entering[nextEntering].count
                nextEntering += 1
            }
            // The rank among the rows that neither enter nor leave.
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
    /// For two versions of one observation, this takes O(*c* log *n*) for *c* changed rows of *n*, otherwise O(*n*). The
    /// older list need not be the value that was delivered before this one.
    ///
    /// Rows are compared by their identity. If a list is not followed row by row, elements that are `Identifiable` are
    /// compared by their ids. Others are replaced, except for equal elements at the beginning and the end.
    ///
    /// An element that was read again counts as updated unless it is `Equatable` and equal.
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
