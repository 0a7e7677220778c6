import VigilLists

/// How an observation keeps a list up to date, for debugging and monitoring. See ``ObservationStatus/list``.
///
/// ```swift
/// for status in dbPool.observations {
///     if let list = status.list { print(status.label, list.rowFetchCount, list.fullFetchCounts) }
/// }
/// ```
public struct ListStatistics: Sendable, Equatable {
    /// The number of fetches of changed rows alone.
    public internal(set) var rowFetchCount = 0
    /// The number of rows that these fetches looked up.
    public internal(set) var fetchedRowCount = 0
    /// The number of fetches of all rows, by their reason, such as `a watched table changed`.
    public internal(set) var fullFetchCounts: [String: Int] = [:]
    /// The number of commits that changed no row of the list.
    public internal(set) var unchangedCount = 0
    /// Why the list is fetched as a whole after each change; `nil` if it is updated row by row.
    public internal(set) var unfollowedReason: String?
    /// The number of times that a list differed from the rows in the database. See
    /// ``Configuration/listVerificationInterval``.
    public internal(set) var mismatchCount = 0

    init() {}
}

extension FullFetchReason {
    /// The reason, for ``ListStatistics/fullFetchCounts``.
    var text: String {
        switch self {
        case .first: "first fetch"
        case .newPlan: "the schema, the request or a function changed"
        case .unknownChanges: "unknown changes"
        case .unknownRows(let table): "unknown rows of \(table)"
        case .manyRows: "many rows"
        case .watchedTables: "a watched table changed"
        case .shortWindow: "too few rows of a window are left"
        case .longWindow: "many rows were inserted into a window"
        case .failedLookUp: "the changed rows could not be fetched alone"
        case .notFollowed(let reason): reason.text
        }
    }
}

extension UnfollowedReason {
    /// The reason, for ``ListStatistics/unfollowedReason``.
    var text: String {
        switch self {
        case .statement(let reason): reason
        case .order: "the order of the rows was not understood"
        case .failedWindow: "the rows beside the window could not be fetched"
        case .repeatedRow: "two rows have the same row ids"
        case .sortKey(.zeroByteInFoldedText): "a text with a zero byte is sorted by NOCASE"
        case .sortKey(.largeIntegerBesideReal):
            "large integers and floating-point numbers are sorted together"
        case .sortKey(.tooLong): "rows are sorted by long values"
        case .sortKey(.missingRowID): "a row has no row id"
        }
    }
}
