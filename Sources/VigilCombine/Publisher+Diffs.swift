#if canImport(Combine) || OpenCombine
    public import Vigil

    #if canImport(Combine)
        public import Combine
    #else
        @preconcurrency public import OpenCombine
    #endif

    extension Publisher where Output: Collection & Sendable, Output.Element: Equatable & Sendable {
        /// Publishes the differences between successive lists, by the `id` of their elements.
        ///
        /// ```swift
        /// let cancellable = sharedPlayers.publisher().diffs()
        ///     .sink { completion in … } receiveValue: { diff in
        ///         print(diff.inserted.count, diff.updated.count, diff.deleted.count)
        ///     }
        /// ```
        ///
        /// The first difference of each subscription contains all elements of the first list as inserted.
        /// Lists of the same elements are skipped, even if their order differs. The differences are computed
        /// where the lists are received, in linear time.
        public func diffs() -> AnyPublisher<PrimaryKeyDiff<Output.Element>, Failure>
        where Output.Element: Identifiable, Output.Element.ID: Sendable {
            diffs(by: { $0.id })
        }

        /// Publishes the differences between successive lists, by the identities of their elements. See
        /// `diffs()`.
        ///
        /// - Parameter identity: Returns the identity of an element.
        public func diffs<ID: Hashable & Sendable>(
            by identity: @escaping @Sendable (Output.Element) -> ID
        ) -> AnyPublisher<PrimaryKeyDiff<Output.Element>, Failure> {
            Deferred {
                let differences = DiffSequence<Output, ID>(id: identity)
                return self.compactMap { differences.next($0) }
            }
            .eraseToAnyPublisher()
        }
    }
#endif
