import Vigil

/// Which rows of the tables that a query reads make a difference to it, in words.
struct QueryConditions {
    struct LeftOut: Equatable {
        var text: String
        var reason: String
    }

    /// For each table what all its rows must meet that matter. A table that is not there has no conditions.
    private(set) var predicates: [TableName: [String]] = [:]
    private(set) var leftOut: [LeftOut] = []

    /// Nothing is known.
    init() {}

    /// - Parameter values: those of the parameters.
    init(_ report: RowConditionReport, values: [StorageValue]) {
        func value(_ index: Int) -> StorageValue {
            values.indices.contains(index - 1) ? values[index - 1] : .null
        }
        func text(_ condition: RowConditionTemplate) -> String {
            condition.text { value($0).sqlLiteral }
        }
        let bound = report.bound(value)
        leftOut = report.omissions.map { LeftOut(text: $0.text, reason: $0.reason) }
        for table in report.tables {
            for condition in table.alternatives.joined() where condition.bound(value) == nil {
                leftOut.append(
                    LeftOut(text: text(condition), reason: "how these values compare is not certain"))
            }
            guard bound[table.table] != nil else { continue }
            let alternatives = table.alternatives.map { $0.filter { $0.bound(value) != nil }.map(text) }
            predicates[table.table] =
                alternatives.count == 1
                ? alternatives[0]
                : [alternatives.map { $0.joined(separator: " AND ") }.joined(separator: " OR ")]
        }
    }
}
