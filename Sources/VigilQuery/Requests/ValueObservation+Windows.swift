public import VigilEngine

// Lists of the first rows of a request, whose number can change.

extension ValueObservation {
    /// Returns an observation of some of the first rows of a request as a list, updated row by row.
    ///
    /// Without a change of the number of rows, `trackingList(request.limit(50))` does the same.
    ///
    /// ```swift
    /// let window = ListWindow(limit: 50)
    /// let observation = ValueObservation.trackingList(
    ///     Message.order(Column("date").desc), window: window)
    /// window.limit += 50  // The user has scrolled down.
    /// ```
    ///
    /// - Parameters:
    ///   - request: the request. Its own limit is replaced.
    ///   - window: the rows to show. Its changes lead to fetches.
    public static func trackingList<Element>(
        _ request: QueryInterfaceRequest<Element>, window: ListWindow
    ) -> ValueObservation
    where Element: FetchableRecord & Sendable, Reducer == ValueReducers.List<Element> {
        list(request, window: window, limit: { $0.limited(to: window) }, areEqual: nil) {
            try Element(row: $0)
        }
    }

    /// Returns an observation of some of the first rows of a request as a list. Rows fetched again do not
    /// count as updated if their elements are equal. For the rest, see the variant for elements without
    /// `Equatable`.
    public static func trackingList<Element>(
        _ request: QueryInterfaceRequest<Element>, window: ListWindow
    ) -> ValueObservation
    where Element: FetchableRecord & Sendable & Equatable, Reducer == ValueReducers.List<Element> {
        list(request, window: window, limit: { $0.limited(to: window) }, areEqual: { $0 == $1 }) {
            try Element(row: $0)
        }
    }

    /// Returns an observation of some of the first rows of a request as a list, updated row by row.
    public static func trackingList(
        _ request: QueryInterfaceRequest<Row>, window: ListWindow
    ) -> ValueObservation where Reducer == ValueReducers.List<Row> {
        list(
            request, window: window, limit: { $0.limited(to: window) },
            areEqual: { $0.isIdentical(to: $1) }
        ) { $0.copy() }
    }
}

extension QueryInterfaceRequest {
    fileprivate func limited(to window: ListWindow) -> Self {
        let (limit, offset) = window.numbers
        return self.limit(limit, offset: offset)
    }
}
