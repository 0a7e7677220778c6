import VigilStorage

/// The row ids by which a changed row is looked up, determined once from its keys.
struct RowKeys {
    enum Sought {
        /// The row does not exist in this version.
        case absent
        case rowID(Int64)
        /// The row id is not known.
        case unknown

        init(_ key: RowKey?) {
            switch key {
            case nil: self = .absent
            case .integer(let rowID): self = .rowID(rowID)
            case .values, .unknown: self = .unknown
            }
        }

        var isAbsent: Bool { if case .absent = self { true } else { false } }

        var mayBeAny: Bool { if case .unknown = self { true } else { false } }
    }

    let old: Sought
    let new: Sought

    init(_ row: RowChangeSummary) {
        old = Sought(row.oldKey)
        new = Sought(row.newKey)
    }

    init(_ change: RowChange) {
        old = Sought(change.oldKey)
        new = Sought(change.newKey)
    }

    /// Whether the row id is the same before and after the change.
    var isSame: Bool {
        if case .rowID(let one) = old, case .rowID(let two) = new { one == two } else { false }
    }
}
