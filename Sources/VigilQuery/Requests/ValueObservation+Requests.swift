public import VigilEngine

// An observation of a request knows its SQL and arguments. If a commit makes several observations of equal
// requests stale, the request is fetched once for all of them.

extension ValueObservation {
    /// Returns an observation of all records of a request.
    ///
    /// ```swift
    /// let request: SQLRequest<Player> = "SELECT * FROM player ORDER BY score DESC"
    /// let observation = ValueObservation.trackingAll(request)
    /// ```
    ///
    /// If observations of equal requests are stale at the same time, the request is fetched once for all of
    /// them.
    public static func trackingAll<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation
    where Decoder: FetchableRecord & Sendable, Reducer == ValueReducers.Fetch<[Decoder]> {
        tracking(request, .all, fetch: request.fetchAll)
    }

    /// Returns an observation of the first record of a request. The value is `nil` if there are no rows.
    ///
    /// If observations of equal requests are stale at the same time, the request is fetched once for all of
    /// them.
    public static func trackingOne<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation
    where Decoder: FetchableRecord & Sendable, Reducer == ValueReducers.Fetch<Decoder?> {
        tracking(request, .one, fetch: request.fetchOne)
    }

    /// Returns an observation of all values of a request.
    ///
    /// If observations of equal requests are stale at the same time, the request is fetched once for all of
    /// them.
    public static func trackingAll<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation
    where Decoder: DatabaseValueConvertible & Sendable, Reducer == ValueReducers.Fetch<[Decoder]> {
        tracking(request, .all, fetch: request.fetchAll)
    }

    /// Returns an observation of the first value of a request. The value is `nil` if there are no rows.
    ///
    /// If observations of equal requests are stale at the same time, the request is fetched once for all of
    /// them.
    public static func trackingOne<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation
    where Decoder: DatabaseValueConvertible & Sendable, Reducer == ValueReducers.Fetch<Decoder?> {
        tracking(request, .one, fetch: request.fetchOne)
    }

    /// Returns an observation of all values of a request.
    ///
    /// If observations of equal requests are stale at the same time, the request is fetched once for all of
    /// them.
    public static func trackingAll<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation
    where
        Decoder: DatabaseValueConvertible & StatementColumnConvertible & Sendable,
        Reducer == ValueReducers.Fetch<[Decoder]>
    {
        tracking(request, .all, fetch: request.fetchAll)
    }

    /// Returns an observation of the first value of a request. The value is `nil` if there are no rows.
    ///
    /// If observations of equal requests are stale at the same time, the request is fetched once for all of
    /// them.
    public static func trackingOne<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation
    where
        Decoder: DatabaseValueConvertible & StatementColumnConvertible & Sendable,
        Reducer == ValueReducers.Fetch<Decoder?>
    {
        tracking(request, .one, fetch: request.fetchOne)
    }

    /// Returns an observation of all rows of a request.
    ///
    /// If observations of equal requests are stale at the same time, the request is fetched once for all of
    /// them.
    public static func trackingAll(
        _ request: SQLRequest<Row>
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<[Row]> {
        tracking(request, .all, fetch: request.fetchAll)
    }

    /// Returns an observation of the first row of a request. The value is `nil` if there are no rows.
    ///
    /// If observations of equal requests are stale at the same time, the request is fetched once for all of
    /// them.
    public static func trackingOne(
        _ request: SQLRequest<Row>
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Row?> {
        tracking(request, .one, fetch: request.fetchOne)
    }

    /// Returns an observation of the number of rows of a request.
    ///
    /// If observations of equal requests are stale at the same time, the request is fetched once for all of
    /// them.
    public static func trackingCount<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Int> {
        tracking(request, .count, fetch: request.fetchCount)
    }
}

extension ValueObservation {
    private static func tracking<Decoder, Value>(
        _ request: SQLRequest<Decoder>, _ result: RequestIdentity.Result,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation where Value: Sendable, Reducer == ValueReducers.Fetch<Value> {
        tracking(label: request.label, identity: { try request.identity($0, result) }, fetch: fetch)
    }
}
