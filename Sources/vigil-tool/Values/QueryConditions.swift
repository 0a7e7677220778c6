import Vigil

/// The conditions, as text, on rows that affect the result of a query.
struct QueryConditions {
    struct LeftOut: Equatable {
        var text: String
        var reason: String
    }

    /// The conditions on the rows of each table. Tables without conditions are missing.
    private(set) var predicates: [TableName: [String]] = [:]
    private(set) var leftOut: [LeftOut] = []

    /// Creates conditions without restrictions.
    init() {}

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

    /// Adds conditions without restrictions.
    mutating func leaveOut(_ omissions: [RowConditionReport.Omission]) {
        leftOut += omissions.map { LeftOut(text: $0.text, reason: $0.reason) }
    }
}
