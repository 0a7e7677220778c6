public import VigilEngine
import VigilLists

// Lists updated row by row.

extension ValueObservation {
    /// Returns an observation of the rows of a request as a list, updated row by row.
    ///
    /// A commit of one changed row costs the same whatever the length of the list. Lists are values, and
    /// compare themselves with any earlier version:
    ///
    /// ```swift
    /// let observation = ValueObservation.trackingList(Player.order(Column("score").desc))
    /// let cancellable = observation.start(in: dbPool, onError: { print($0) }) { players in
    ///     let change = players.changes(since: shown)
    ///     print(change.inserted, change.moved)
    ///     shown = players
    /// }
    /// ```
    ///
    /// The rows are in the order of the request. Rows with equal sort values are in the order of their row
    /// ids, in the direction of the last term. An unchanged list is not delivered.
    ///
    /// Only some requests can be updated row by row: selections from tables and inner or left joins of them,
    /// sorted by columns. Others, and changes of unknown rows, fetch all rows. `vigil explain` prints the
    /// reason, and `ListStatistics` counts it.
    ///
    /// Without `Equatable`, each row fetched again counts as updated: prefer equatable elements. An element
    /// must depend on nothing but its row.
    public static func trackingList<Request: FetchRequest>(_ request: Request) -> ValueObservation
    where
        Request.RowDecoder: FetchableRecord & Sendable, Reducer == ValueReducers.List<Request.RowDecoder>
    {
        list(request, areEqual: nil) { try Request.RowDecoder(row: $0) }
    }

    /// Returns an observation of the rows of a request as a list. Rows fetched again do not count as updated
    /// if their elements are equal. For the rest, see the variant for elements without `Equatable`.
    public static func trackingList<Request: FetchRequest>(_ request: Request) -> ValueObservation
    where
        Request.RowDecoder: FetchableRecord & Sendable & Equatable,
        Reducer == ValueReducers.List<Request.RowDecoder>
    {
        list(request, areEqual: { $0 == $1 }) { try Request.RowDecoder(row: $0) }
    }

    /// Returns an observation of the rows of a request as a list, updated row by row.
    public static func trackingList<Request: FetchRequest>(_ request: Request) -> ValueObservation
    where Request.RowDecoder == Row, Reducer == ValueReducers.List<Row> {
        // Rows with 2 and 2.0 are equal, but such a change is an update.
        list(request, areEqual: { $0.isIdentical(to: $1) }) { $0.copy() }
    }

    /// Returns an observation of the values in the first column of a request as a list, updated row by row.
    public static func trackingList<Request: FetchRequest>(_ request: Request) -> ValueObservation
    where
        Request.RowDecoder: DatabaseValueConvertible & Sendable & Equatable,
        Reducer == ValueReducers.List<Request.RowDecoder>
    {
        let exact = ElementTraits<DatabaseValue>(areEqual: { $0.isIdentical(to: $1) })
        let traits =
            exact as Any as? ElementTraits<Request.RowDecoder>
            ?? ElementTraits(comparing: Request.RowDecoder.self)
        return list(request, areEqual: traits.areEqual) { row in
            try row.decode(Request.RowDecoder.self, atIndex: 0)
        }
    }

    /// - Parameters:
    ///   - window: the window of the list, if it can change.
    ///   - limit: returns the request with the current limit and offset of the window.
    static func list<Request: FetchRequest>(
        _ request: Request, window: ListWindow? = nil,
        limit: @escaping @Sendable (Request) -> Request = { $0 },
        areEqual: (@Sendable (Request.RowDecoder, Request.RowDecoder) -> Bool)?,
        decode: @escaping @Sendable (Row) throws -> Request.RowDecoder
    ) -> ValueObservation
    where Request.RowDecoder: Sendable, Reducer == ValueReducers.List<Request.RowDecoder> {
        let known = request.identified
        var id: (@Sendable (Request.RowDecoder) -> AnyHashable)?
        if Request.RowDecoder.self is any Identifiable.Type {
            id = { element in
                guard let element = element as? any Identifiable else { return AnyHashable(0) }
                return anyID(element)
            }
        }
        let list = ListRequest(
            traits: ElementTraits(areEqual: areEqual, id: id),
            prepare: { db in
                let prepared = try limit(request).makePreparedRequest(db, forSingleResult: false)
                return .init(
                    statement: prepared.statement, adapter: prepared.adapter,
                    supplementaryFetch: prepared.supplementaryFetch)
            }, decode: decode)
        return trackingList(list, window: window, label: known.label) { db in
            // A window may change between this call and the fetch.
            window == nil ? try known.identity(db, .all) : nil
        }
    }
}

private func anyID(_ element: some Identifiable) -> AnyHashable { AnyHashable(element.id) }
