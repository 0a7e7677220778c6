import VigilLists

extension FullFetchReason {
    /// The reason, for ``ListStatus/fullFetchCounts``.
    var text: String {
        switch self {
        case .first: "first fetch"
        case .newPlan: "the schema, the request or a function changed"
        case .unknownChanges: "unknown changes"
        case .unknownRows(let table): "unknown rows of \(table)"
        case .manyRows: "many rows"
        case .watchedTables: "a watched table changed"
        case .notFollowed(let reason): reason.text
        }
    }
}

extension UnfollowedReason {
    /// The reason, for ``ListStatus/unfollowedReason``.
    var text: String {
        switch self {
        case .statement(let reason): reason
        case .order: "the order of the rows was not understood"
        case .repeatedRow: "two rows have the same row ids"
        case .doubt(.zeroByteInFoldedText): "a text with a zero byte is sorted by NOCASE"
        case .doubt(.largeIntegerBesideReal): "large integers and floating-point numbers are sorted together"
        case .doubt(.tooLong): "rows are sorted by long values"
        case .doubt(.missingRowID): "a row has no row id"
        }
    }
}
