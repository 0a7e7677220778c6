public import VigilEngine

// Lists of the first rows of a request, whose number can change.

/// A request whose rows can be limited to some of the first ones.
public protocol LimitableRequest<RowDecoder>: FetchRequest {
    /// Returns a request for at most `limit` rows, after the first `offset` ones. A negative limit means all,
    /// and a negative offset none.
    func limit(_ limit: Int, offset: Int?) -> Self
}

extension QueryInterfaceRequest: LimitableRequest {}

extension SQLRequest: LimitableRequest {
    /// Returns a request for at most `limit` rows, after the first `offset` ones.
    ///
    /// ```swift
    /// let messages: SQLRequest<Message> = "SELECT * FROM message ORDER BY date DESC"
    /// let recent = try messages.limit(50).fetchAll(db)
    /// ```
    ///
    /// It appends LIMIT to the query, which must not have one. A negative limit means all rows.
    public func limit(_ limit: Int, offset: Int? = nil) -> SQLRequest {
        var query = SQL(elements: [.fragment(EmbeddedStatement(sqlLiteral: sqlLiteral))])
        query.append(sql: " LIMIT ")
        query += limit < 0 ? SQL(elements: [.fragment(AllRows())]) : SQL(sql: String(limit))
        if let offset { query.append(sql: " OFFSET \(offset < 0 ? 0 : offset)") }
        return SQLRequest(literal: query, adapter: adapter, cached: isCached)
    }
}

/// The word after LIMIT for all rows.
private struct AllRows: SQLFragment {
    func write(to writer: inout SQLWriter) { writer.write(rowCount: -1) }
}

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
    ///   - request: the request. The limit of a `QueryInterfaceRequest` is replaced; an SQL query must not
    ///     have one.
    ///   - window: the rows to show. Its changes lead to fetches.
    public static func trackingList<Request: LimitableRequest>(
        _ request: Request, window: ListWindow
    ) -> ValueObservation
    where
        Request.RowDecoder: FetchableRecord & Sendable, Reducer == ValueReducers.List<Request.RowDecoder>
    {
        list(request, window: window, limit: { $0.limited(to: window) }, areEqual: nil) {
            try Request.RowDecoder(row: $0)
        }
    }

    /// Returns an observation of some of the first rows of a request as a list. Rows fetched again do not
    /// count as updated if their elements are equal. For the rest, see the variant for elements without
    /// `Equatable`.
    public static func trackingList<Request: LimitableRequest>(
        _ request: Request, window: ListWindow
    ) -> ValueObservation
    where
        Request.RowDecoder: FetchableRecord & Sendable & Equatable,
        Reducer == ValueReducers.List<Request.RowDecoder>
    {
        list(request, window: window, limit: { $0.limited(to: window) }, areEqual: { $0 == $1 }) {
            try Request.RowDecoder(row: $0)
        }
    }

    /// Returns an observation of some of the first rows of a request as a list, updated row by row.
    public static func trackingList<Request: LimitableRequest>(
        _ request: Request, window: ListWindow
    ) -> ValueObservation where Request.RowDecoder == Row, Reducer == ValueReducers.List<Row> {
        list(
            request, window: window, limit: { $0.limited(to: window) },
            areEqual: { $0.isIdentical(to: $1) }
        ) { $0.copy() }
    }
}

extension LimitableRequest {
    fileprivate func limited(to window: ListWindow) -> Self {
        let (limit, offset) = window.numbers
        return self.limit(limit, offset: offset)
    }
}
