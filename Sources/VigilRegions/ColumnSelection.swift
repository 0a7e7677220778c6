/// The columns of a part of a table.
///
/// A statement such as `SELECT COUNT(*)` depends on which rows there are, and on no column. It is known and described
/// as a read of all columns all the same; that an update of a row makes no difference to it is kept below that.
struct ColumnSelection: Sendable, Hashable {
    /// What the algebra knows; `nil`: all.
    let named: ColumnSet?
    /// Set only if ``named`` is `nil`: it is read which rows there are, and of the columns these.
    private let beside: ColumnSet?

    static let all = ColumnSelection(nil)
    static let rowsAlone = ColumnSelection(named: nil, beside: ColumnSet())

    init(_ named: ColumnSet?) {
        self.init(named: named, beside: nil)
    }

    private init(named: ColumnSet?, beside: ColumnSet?) {
        self.named = named
        self.beside = beside
    }

    var isEmpty: Bool { named?.isEmpty ?? false }

    /// The columns whose values make a difference; `nil`: all.
    var significant: ColumnSet? { named ?? beside }

    /// Whether it is read which rows there are, with fewer columns than are named.
    var countsRows: Bool { beside != nil }

    func union(_ other: ColumnSelection) -> ColumnSelection {
        if let named, let others = other.named { return ColumnSelection(named.union(others)) }
        guard let significant, let others = other.significant else { return .all }
        return ColumnSelection(named: nil, beside: significant.union(others))
    }

    func intersection(_ other: ColumnSelection) -> ColumnSelection {
        if let named { return ColumnSelection(other.named.map { named.intersection($0) } ?? named) }
        if let others = other.named { return ColumnSelection(others) }
        guard let beside else { return other }
        return ColumnSelection(named: nil, beside: other.beside.map { beside.intersection($0) } ?? beside)
    }

    /// Whether an update of a row makes a difference.
    func isTouched(byUpdate row: RowFacts) -> Bool {
        if row.ignoresNoOps {
            if significant == nil { return !row.isNoOp }
            return row.updatedColumns.touch(significant) || (countsRows && row.mayHaveMoved)
        }
        return named == nil ? !row.isNoOp : row.updatedColumns.touch(named)
    }
}
