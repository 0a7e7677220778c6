import VigilStorage

/// By which row ids a changed row is found: what the index asks its keys, answered once.
struct RowKeys {
    enum Sought {
        /// There is no such row.
        case absent
        case rowID(Int64)
        /// It may be any row.
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

    init(_ row: RowFacts) {
        old = Sought(row.oldKey)
        new = Sought(row.newKey)
    }

    init(_ change: RowChange) {
        old = Sought(change.oldKey)
        new = Sought(change.newKey)
    }

    /// Whether the row has the row id that it had.
    var isSame: Bool {
        if case .rowID(let one) = old, case .rowID(let two) = new { one == two } else { false }
    }
}
