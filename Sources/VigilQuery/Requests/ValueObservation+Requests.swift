public import VigilEngine

// An observation of a request knows its SQL and arguments. If a commit makes several observations of equal
// requests stale, the request is fetched once for all of them.

extension ValueObservation {
    /// Returns an observation of all records of a request.
    ///
    /// ```swift
    /// let observation = ValueObservation.trackingAll(Player.order(Column("score").desc))
    /// ```
    ///
    /// If observations of equal requests are stale at the same time, the request is fetched once for all of
    /// them.
    public static func trackingAll<Request: FetchRequest>(_ request: Request) -> ValueObservation
    where Request.RowDecoder: FetchableRecord & Sendable, Reducer == ValueReducers.Fetch<[Request.RowDecoder]>
    {
        tracking(request, .all, fetch: request.fetchAll)
    }

    /// Returns an observation of the first record of a request. The value is `nil` if there are no rows.
    public static func trackingOne<Request: FetchRequest>(_ request: Request) -> ValueObservation
    where Request.RowDecoder: FetchableRecord & Sendable, Reducer == ValueReducers.Fetch<Request.RowDecoder?>
    {
        tracking(request, .one, fetch: request.fetchOne)
    }

    /// Returns an observation of all values of a request.
    public static func trackingAll<Request: FetchRequest>(_ request: Request) -> ValueObservation
    where
        Request.RowDecoder: DatabaseValueConvertible & Sendable,
        Reducer == ValueReducers.Fetch<[Request.RowDecoder]>
    {
        tracking(request, .all, fetch: request.fetchAll)
    }

    /// Returns an observation of the first value of a request. The value is `nil` if there are no rows.
    public static func trackingOne<Request: FetchRequest>(_ request: Request) -> ValueObservation
    where
        Request.RowDecoder: DatabaseValueConvertible & Sendable,
        Reducer == ValueReducers.Fetch<Request.RowDecoder?>
    {
        tracking(request, .one, fetch: request.fetchOne)
    }

    /// Returns an observation of all rows of a request.
    public static func trackingAll<Request: FetchRequest>(_ request: Request) -> ValueObservation
    where Request.RowDecoder == Row, Reducer == ValueReducers.Fetch<[Row]> {
        tracking(request, .all, fetch: request.fetchAll)
    }

    /// Returns an observation of the first row of a request. The value is `nil` if there are no rows.
    public static func trackingOne<Request: FetchRequest>(_ request: Request) -> ValueObservation
    where Request.RowDecoder == Row, Reducer == ValueReducers.Fetch<Row?> {
        tracking(request, .one, fetch: request.fetchOne)
    }

    /// Returns an observation of the number of rows of a request.
    public static func trackingCount(_ request: some FetchRequest) -> ValueObservation
    where Reducer == ValueReducers.Fetch<Int> {
        tracking(request, .count, fetch: request.fetchCount)
    }

    private static func tracking<Value>(
        _ request: some FetchRequest, _ result: RequestIdentity.Result,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation where Value: Sendable, Reducer == ValueReducers.Fetch<Value> {
        let known = request.identified
        return tracking(
            label: known.label, identity: { try known.identity($0, result) }, fetch: fetch)
    }

    /// Returns an observation of raw rows of a request. Requests share a fetch if they differ only in their
    /// decoder.
    static func trackingRows(
        _ request: some FetchRequest, _ result: RequestIdentity.Result,
        fetch: @escaping @Sendable (Database) throws -> [Row]
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<[Row]> {
        let known = request.identified
        return tracking(
            label: known.label, identity: { try known.rowsIdentity($0, result) }, fetch: fetch)
    }
}
