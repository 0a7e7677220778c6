public import VigilEngine

extension AsyncValueObservation where Element: Collection {
    /// Returns a sequence of the differences between successive lists, by the `id` of their elements.
    ///
    /// ```swift
    /// for try await diff in players.values().diffs() {
    ///     print(diff.inserted.count, diff.updated.count, diff.deleted.count)
    /// }
    /// ```
    ///
    /// The first difference contains all elements of the first received list as inserted, whether or not the
    /// observation skips its initial value. Lists with the same elements are skipped, even if their order
    /// differs. The differences are computed where the sequence is iterated, in linear time.
    public func diffs() -> AsyncDiffs<Element>
    where Element.Element: Identifiable & Equatable & Sendable, Element.Element.ID: Sendable {
        diffs(by: { $0.id })
    }

    /// Returns a sequence of the differences between successive lists, by the identities of their elements.
    /// See `diffs()`.
    ///
    /// - Parameter identity: Returns the identity of an element.
    public func diffs<ID: Hashable & Sendable>(
        by identity: @escaping @Sendable (Element.Element) -> ID
    ) -> AsyncDiffs<Element> where Element.Element: Equatable & Sendable {
        AsyncDiffs(base: self, differ: IdentityDiffer(id: identity))
    }
}

/// An asynchronous sequence of the differences between the values of an observation. See
/// `AsyncValueObservation.diffs()`.
public struct AsyncDiffs<List: Collection & Sendable>: AsyncSequence, Sendable where List.Element: Sendable {
    /// The difference between two lists.
    public typealias Element = PrimaryKeyDiff<List.Element>

    let base: AsyncValueObservation<List>
    let differ: any Differ<List, List.Element>

    /// Iterates over the differences between the values of one started observation.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncValueObservation<List>.Iterator
        fileprivate var differ: any Differ<List, List.Element>
        fileprivate var hasReturned = false
        fileprivate var hasThrown = false

        /// Returns the next difference when it is available; `nil` if the observation has ended, unless this
        /// call throws its error.
        ///
        /// - Throws: The error that ended the observation, once.
        public mutating func next() async throws -> PrimaryKeyDiff<List.Element>? {
            while !hasThrown, let list = try await base.next() {
                hasThrown = true
                let diff = try differ.diff(list)
                hasThrown = false
                if hasReturned, diff.isEmpty { continue }
                hasReturned = true
                return diff
            }
            return nil
        }
    }

    /// Starts an observation, and returns an iterator over the differences.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), differ: differ)
    }
}
