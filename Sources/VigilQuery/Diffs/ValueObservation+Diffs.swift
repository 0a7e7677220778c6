public import VigilEngine
public import VigilRegions

extension ValueObservation {
    /// Returns an observation of the differences between successive results, by the records' primary key.
    ///
    /// ```swift
    /// let observation = ValueObservation.trackingDiffs(Place.orderByPrimaryKey())
    /// ```
    ///
    /// The first difference contains all records as inserted. Results with the same rows are skipped, even if
    /// their order differs. Only inserted and updated rows are decoded. A difference takes linear time if the
    /// request sorts its rows by primary key, with the collation `BINARY` for text. Each row needs a unique
    /// primary key. See ``PrimaryKeyDiffScanner``.
    ///
    /// Each difference must be applied once: do not share the observation, add it to an `ObservationGroup`,
    /// or skip its initial value. To do this, observe lists with `trackingList(_:)`, and compare two of them
    /// with `ObservedList.changes(since:)`.
    ///
    /// If a migration changes the primary key while the request is observed, the next difference compares
    /// records by the new one. Records fetched without a column of the new key are deleted, and inserted if
    /// they still exist.
    ///
    /// - Parameters:
    ///   - request: The request to observe. The observation ends with an error if it does not select all
    ///     columns of the primary key.
    ///   - updateRecord: Returns the record of a row, given the previous record with the same primary key. By
    ///     default, a record is decoded from the row.
    public static func trackingDiffs<Request: FetchRequest, Record: FetchableRecord & TableRecord & Sendable>(
        _ request: Request, updateRecord: (@Sendable (Record, Row) throws -> Record)? = nil
    ) -> ValueObservation
    where
        Request.RowDecoder == Record,
        Reducer == ValueReducers.Diffs<Record>
    {
        trackingDiffs(request, PrimaryKeyDiffer(list: nil, updateRecord: updateRecord))
    }

    /// Returns an observation of the differences between successive results of a request, by the primary key
    /// of the records.
    ///
    /// The first difference is relative to `initialRecords`, and may be empty. See
    /// `trackingDiffs(_:updateRecord:)`.
    ///
    /// - Parameters:
    ///   - request: The request to observe. The observation ends with an error if it does not select all
    ///     columns of the primary key.
    ///   - initialRecords: The records to compare the first result with. Their values of the primary key are
    ///     converted as in its columns: the number 1 matches the key `'1'` of a `TEXT` column.
    ///   - updateRecord: Returns the record of a row, given the previous record with the same primary key. By
    ///     default, a record is decoded from the row.
    public static func trackingDiffs<
        Request: FetchRequest, Record: FetchableRecord & MutablePersistableRecord & Sendable
    >(
        _ request: Request, initialRecords: [Record],
        updateRecord: (@Sendable (Record, Row) throws -> Record)? = nil
    ) -> ValueObservation
    where
        Request.RowDecoder == Record,
        Reducer == ValueReducers.Diffs<Record>
    {
        trackingDiffs(
            request,
            PrimaryKeyDiffer(
                list: { try PrimaryKeyList(keyColumns: $0, records: initialRecords) },
                updateRecord: updateRecord))
    }

    private static func trackingDiffs<
        Request: FetchRequest, Record: FetchableRecord & TableRecord & Sendable
    >(
        _ request: Request, _ differ: PrimaryKeyDiffer<Record>
    ) -> ValueObservation
    where Reducer == ValueReducers.Diffs<Record> {
        let known = request.identified
        let rows = ValueObservation<ValueReducers.Fetch<DiffedRows>>.tracking(
            label: known.label,
            identity: { db in
                var identity = try known.identity(db, .all)
                identity?.decoder = ObjectIdentifier(Reducer.self)
                return identity
            },
            fetch: { db in
                DiffedRows(
                    rows: try Row.fetchAll(db, request),
                    keyColumns: try Record.diffedKeyColumns(of: request, db))
            })
        return rows.derived(.init(base: rows.reducer, differ: differ))
    }
}

extension ValueReducers {
    /// Delivers the differences between results. See `ValueObservation.trackingDiffs(_:updateRecord:)`.
    public struct Diffs<Record: FetchableRecord & Sendable>: ValueReducer {
        private var base: Fetch<DiffedRows>
        private var differ: PrimaryKeyDiffer<Record>
        private var hasDelivered = false

        init(base: Fetch<DiffedRows>, differ: PrimaryKeyDiffer<Record>) {
            self.base = base
            self.differ = differ
        }

        /// Runs the fetch of the observation.
        public func _fetch(_ db: Database) throws -> DiffedRows { try base._fetch(db) }

        /// Returns the difference from the previous value, or `nil` if they are equal.
        public mutating func _value(
            _ fetched: DiffedRows, at commit: CommitNumber
        ) throws -> PrimaryKeyDiff<Record>? {
            guard let value = base._value(fetched, at: commit) else { return nil }
            let diff = try differ.diff(value)
            defer { hasDelivered = true }
            return hasDelivered && diff.isEmpty ? nil : diff
        }

        /// Always `false`: the comparison may take time.
        public static var _isTrivial: Bool { false }
    }
}

/// The rows of a request with observed differences. See `ValueObservation.trackingDiffs(_:updateRecord:)`.
public struct DiffedRows: Sendable {
    let rows: [Row]
    let keyColumns: [PrimaryKeyColumn]
}

/// Computes the differences between successive rows of a request, by primary key.
struct PrimaryKeyDiffer<Record: FetchableRecord & Sendable> {
    /// Creates the list to compare the first rows with.
    private let makeList: @Sendable ([PrimaryKeyColumn]) throws -> PrimaryKeyList<Record>
    private let updateRecord: @Sendable (Record, Row) throws -> Record
    /// The list of the last rows; `nil` before the first ones.
    private var list: PrimaryKeyList<Record>?

    init(
        list: (@Sendable ([PrimaryKeyColumn]) throws -> PrimaryKeyList<Record>)?,
        updateRecord: (@Sendable (Record, Row) throws -> Record)?
    ) {
        makeList = list ?? { PrimaryKeyList(keyColumns: $0) }
        self.updateRecord = updateRecord ?? { _, row in try Record(row: row) }
    }

    /// Returns the difference from the previous rows. The first rows are compared with the initial records.
    mutating func diff(_ value: DiffedRows) throws -> PrimaryKeyDiff<Record> {
        // A migration may change the primary key while the request is observed.
        var list = try list?.keyed(by: value.keyColumns) ?? makeList(value.keyColumns)
        let diff = try list.replace(
            with: value.rows, makeRecord: { try Record(row: $0) }, updateRecord: updateRecord)
        self.list = list
        return diff
    }
}
