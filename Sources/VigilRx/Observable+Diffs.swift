#if RxSwift
    public import RxSwift
    public import Vigil

    extension ObservableType where Element: Collection & Sendable, Element.Element: Equatable & Sendable {
        /// Returns an observable of the differences between successive lists, by the `id` of their elements.
        ///
        /// ```swift
        /// let differences = Player.all().rx.observeAll(in: dbPool).diffs()
        /// ```
        ///
        /// The first difference of each subscription contains all elements of the first list as inserted.
        /// Lists of the same elements are skipped, even if their order differs. The differences are computed
        /// where the lists are emitted, in linear time.
        public func diffs() -> Observable<PrimaryKeyDiff<Element.Element>>
        where Element.Element: Identifiable, Element.Element.ID: Sendable {
            diffs(by: { $0.id })
        }

        /// Returns an observable of the differences between successive lists, by the identities of their
        /// elements. See `diffs()`.
        ///
        /// - Parameter identity: Returns the identity of an element.
        public func diffs<ID: Hashable & Sendable>(
            by identity: @escaping @Sendable (Element.Element) -> ID
        ) -> Observable<PrimaryKeyDiff<Element.Element>> {
            Observable.deferred {
                let differences = DiffSequence<Element, ID>(id: identity)
                return self.compactMap { differences.next($0) }
            }
        }
    }
#endif
