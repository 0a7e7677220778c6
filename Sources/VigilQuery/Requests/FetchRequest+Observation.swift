public import VigilEngine
import VigilStorage

// The observations of a request, used by its sequences, publishers and observables. Rows are compared before
// they are decoded, so the decoded type need not be `Equatable`, and unchanged rows are not decoded again.

/// The observation of all results of a request. See `FetchRequest.observationForAll()`.
///
/// ```swift
/// let observation: AllResultsObservation<Player> = Player.all().observationForAll()
/// ```
public typealias AllResultsObservation<Result: Sendable> =
    ValueObservation<ValueReducers.DecodeDistinct<ValueReducers.Fetch<[Row]>, [Result]>>

/// The observation of the first result of a request. See `FetchRequest.observationForFirst()`.
///
/// ```swift
/// let observation: FirstResultObservation<Player> = Player.filter(key: 1).observationForFirst()
/// ```
public typealias FirstResultObservation<Result: Sendable> =
    ValueObservation<ValueReducers.DecodeDistinct<ValueReducers.Fetch<[Row]>, Result?>>

extension FetchRequest where RowDecoder: FetchableRecord & Sendable {
    /// Returns an observation of all records, without consecutive duplicates.
    ///
    /// ```swift
    /// let observation = Player.order(Column("score").desc).observationForAll()
    /// ```
    ///
    /// Duplicates are detected by comparing raw database values.
    public func observationForAll() -> AllResultsObservation<RowDecoder> {
        observationForAll(comparing: .row) { try RowDecoder(row: $0) }
    }

    /// Returns an observation of the first record, without consecutive duplicates. The value is `nil` if
    /// there are no rows.
    ///
    /// Duplicates are detected by comparing raw database values.
    public func observationForFirst() -> FirstResultObservation<RowDecoder> {
        observationForFirst(comparing: .row) { try RowDecoder(row: $0) }
    }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & Sendable {
    /// Returns an observation of all values in the first column, without consecutive duplicates.
    ///
    /// Duplicates are detected by comparing raw database values of the first column.
    public func observationForAll() -> AllResultsObservation<RowDecoder> {
        observationForAll(comparing: .firstValue) { try $0.decode(RowDecoder.self, atIndex: 0) }
    }

    /// Returns an observation of the first value in the first column, without consecutive duplicates. The
    /// value is `nil` if there are no rows, or if it is NULL.
    ///
    /// Duplicates are detected by comparing raw database values of the first column.
    public func observationForFirst() -> FirstResultObservation<RowDecoder> {
        observationForFirst(comparing: .firstValue) { try $0.decode(RowDecoder?.self, atIndex: 0) }
    }
}

extension FetchRequest where RowDecoder == Row {
    /// Returns an observation of all rows, without consecutive duplicates.
    ///
    /// Duplicates are detected by comparing raw database values.
    public func observationForAll() -> AllResultsObservation<Row> {
        observationForAll(comparing: .row) { $0 }
    }

    /// Returns an observation of the first row, without consecutive duplicates. The value is `nil` if there
    /// are no rows.
    ///
    /// Duplicates are detected by comparing raw database values.
    public func observationForFirst() -> FirstResultObservation<Row> {
        observationForFirst(comparing: .row) { $0 }
    }
}

extension FetchRequest {
    /// Returns an observation of the number of rows, without consecutive duplicates.
    public func observationForCount()
        -> ValueObservation<ValueReducers.RemoveDuplicates<ValueReducers.Fetch<Int>>>
    {
        ValueObservation.trackingCount(self).removeDuplicates()
    }

    private func observationForAll<Result: Sendable>(
        comparing compared: ComparedValues, _ decode: @escaping @Sendable (Row) throws -> Result
    ) -> AllResultsObservation<Result> {
        ValueObservation.trackingRows(self, .all) { db in try Row.fetchAll(db, self) }
            .decodingDistinct(areIdentical: { $0.elementsEqual($1, by: compared.areIdentical) }) {
                rows, previous in
                try rows.decoded(reusing: previous, comparing: compared, decode)
            }
    }

    private func observationForFirst<Result: Sendable>(
        comparing compared: ComparedValues, _ decode: @escaping @Sendable (Row) throws -> Result?
    ) -> FirstResultObservation<Result> {
        ValueObservation.trackingRows(self, .one) { db in try Row.fetchOne(db, self).map { [$0] } ?? [] }
            .decodingDistinct(
                areIdentical: { rows, others in
                    switch (rows.first, others.first) {
                    case (let row?, let other?): compared.areIdentical(row, other)
                    case (nil, nil): true
                    // The first value is `nil` for NULL as well as without rows.
                    case (let row?, nil), (nil, let row?):
                        compared == .firstValue && (try? decode(row) == nil) ?? false
                    }
                },
                decode: { rows, _ in try rows.first.flatMap(decode) })
    }
}

/// The values of a row to compare and to decode a result from.
private enum ComparedValues {
    /// All values, scopes and prefetched rows.
    case row
    /// The value of the first column.
    case firstValue

    func areIdentical(_ row: Row, _ other: Row) -> Bool {
        switch self {
        case .firstValue where row.count > 0 && other.count > 0:
            row.cell(at: 0).isIdentical(to: other.cell(at: 0))
        case .row, .firstValue: row.isIdentical(to: other)
        }
    }
}

extension [Row] {
    /// Decodes the rows. Reuses the previous results of identical rows: at both ends of the list, and at
    /// equal indices if the number of rows is the same.
    fileprivate func decoded<Result>(
        reusing previous: (raw: [Row], value: [Result])?, comparing compared: ComparedValues,
        _ decode: (Row) throws -> Result
    ) throws -> [Result] {
        guard let (oldRows, oldResults) = previous else { return try map(decode) }
        let limit = Swift.min(count, oldRows.count)
        let start = (0..<limit).first { !compared.areIdentical(self[$0], oldRows[$0]) } ?? limit
        var end = 0
        while end < limit - start,
            compared.areIdentical(self[count - 1 - end], oldRows[oldRows.count - 1 - end])
        {
            end += 1
        }
        var results: [Result] = []
        results.reserveCapacity(count)
        results += oldResults[..<start]
        for index in start..<(count - end) {
            let isReplaced = count != oldRows.count || !compared.areIdentical(self[index], oldRows[index])
            results.append(try isReplaced ? decode(self[index]) : oldResults[index])
        }
        results += oldResults[(oldResults.count - end)...]
        return results
    }
}
