import Synchronization

/// The differences between the successive lists of one subscription to a publisher or an observable.
package final class DiffSequence<List: Collection & Sendable, ID: Hashable & Sendable>: Sendable
where List.Element: Equatable & Sendable {
    private struct State {
        var differ: IdentityDiffer<List, ID>
        var hasReturned = false
    }

    private let state: Mutex<State>

    package init(id: @escaping @Sendable (List.Element) -> ID) {
        state = Mutex(State(differ: IdentityDiffer(id: id)))
    }

    /// Returns the difference between a list and the previous one; `nil` if they have the same elements. The
    /// first list is compared with an empty one, and always has a difference.
    package func next(_ list: List) -> PrimaryKeyDiff<List.Element>? {
        state.withLock { state in
            let diff = state.differ.diff(list)
            if state.hasReturned, diff.isEmpty { return nil }
            state.hasReturned = true
            return diff
        }
    }
}
