public import VigilEngine

// An observation of a request knows what it asks. When a commit touches several that ask the same, with the same
// values, it is fetched once for all of them.

extension ValueObservation {
    /// Observes all records of a request.
    ///
    /// Equal requests are fetched once for each commit, however many observations there are.
    public static func trackingAll<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation
    where Decoder: FetchableRecord & Sendable, Reducer == ValueReducers.Fetch<[Decoder]> {
        tracking(request, .all, fetch: request.fetchAll)
    }

    /// Observes the first of the records of a request; `nil` if there is none.
    ///
    /// Equal requests are fetched once for each commit, however many observations there are.
    public static func trackingOne<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation
    where Decoder: FetchableRecord & Sendable, Reducer == ValueReducers.Fetch<Decoder?> {
        tracking(request, .one, fetch: request.fetchOne)
    }

    /// Observes all values of a request.
    ///
    /// Equal requests are fetched once for each commit, however many observations there are.
    public static func trackingAll<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation
    where Decoder: DatabaseValueConvertible & Sendable, Reducer == ValueReducers.Fetch<[Decoder]> {
        tracking(request, .all, fetch: request.fetchAll)
    }

    /// Observes the first of the values of a request; `nil` if there is none.
    ///
    /// Equal requests are fetched once for each commit, however many observations there are.
    public static func trackingOne<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation
    where Decoder: DatabaseValueConvertible & Sendable, Reducer == ValueReducers.Fetch<Decoder?> {
        tracking(request, .one, fetch: request.fetchOne)
    }

    /// Observes all values of a request.
    ///
    /// Equal requests are fetched once for each commit, however many observations there are.
    public static func trackingAll<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation
    where
        Decoder: DatabaseValueConvertible & StatementColumnConvertible & Sendable,
        Reducer == ValueReducers.Fetch<[Decoder]>
    {
        tracking(request, .all, fetch: request.fetchAll)
    }

    /// Observes the first of the values of a request; `nil` if there is none.
    ///
    /// Equal requests are fetched once for each commit, however many observations there are.
    public static func trackingOne<Decoder>(
        _ request: SQLRequest<Decoder>
    ) -> ValueObservation
    where
        Decoder: DatabaseValueConvertible & StatementColumnConvertible & Sendable,
        Reducer == ValueReducers.Fetch<Decoder?>
    {
        tracking(request, .one, fetch: request.fetchOne)
    }

    /// Observes all rows of a request.
    ///
    /// Equal requests are fetched once for each commit, however many observations there are.
    public static func trackingAll(
        _ request: SQLRequest<Row>
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<[Row]> {
        tracking(request, .all, fetch: request.fetchAll)
    }

    /// Observes the first row of a request; `nil` if there is none.
    ///
    /// Equal requests are fetched once for each commit, however many observations there are.
    public static func trackingOne(
        _ request: SQLRequest<Row>
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Row?> {
        tracking(request, .one, fetch: request.fetchOne)
    }

    /// Observes the number of rows of a request.
    ///
    /// Equal requests are fetched once for each commit, however many observations there are.
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
