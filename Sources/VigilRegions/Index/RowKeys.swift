import VigilStorage

/// The row ids of a changed row for look-ups, determined once from its keys.
struct RowKeys {
    enum LookupKey {
        /// The row has no such version.
        case absent
        case rowID(Int64)
        /// An unknown row id.
        case unknown

        init(_ key: RowKey?) {
            switch key {
            case nil: self = .absent
            case .integer(let rowID): self = .rowID(rowID)
            case .values, .unknown: self = .unknown
            }
        }

        var isAbsent: Bool { if case .absent = self { true } else { false } }

        var isUnknown: Bool { if case .unknown = self { true } else { false } }
    }

    let old: LookupKey
    let new: LookupKey

    init(_ row: RowChangeSummary) {
        old = LookupKey(row.oldKey)
        new = LookupKey(row.newKey)
    }

    init(_ change: borrowing RowChange) {
        old = LookupKey(change.oldKey)
        new = LookupKey(change.newKey)
    }

    /// Whether the row id is the same before and after the change.
    var isSame: Bool {
        if case .rowID(let one) = old, case .rowID(let two) = new { one == two } else { false }
    }
}
