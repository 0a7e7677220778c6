import Vigil

/// The difference between two versions of a list of rows.
struct ListPatch: Sendable {
    let change: ListChange
    let rows: ObservedList<Row>

    /// Returns the difference from an older list; `nil` if there is none, or if the columns differ.
    init?(from old: ObservedList<Row>?, to new: ObservedList<Row>) {
        guard let old else { return nil }
        let columns = (old.first.map { Array($0.columnNames) }, new.first.map { Array($0.columnNames) })
        if let one = columns.0, let other = columns.1, one != other { return nil }
        change = new.changes(since: old)
        rows = new
    }
}
