import VigilEngine
import VigilStorage

/// The SQL of the last queries of a table, reused for queries with other values.
///
/// Comparing a query with a previous one costs a fraction of generating its SQL (bench: request-build). The
/// queries are kept by ``QueryTable``, discarded when the schema changes. Queries are not kept if their SQL
/// depends on more than their own parts, for example on closures or subqueries.
struct BuiltQueries {
    private struct Entry {
        let shape: QueryShape
        let limit: Query.Limit?
        let isForSingleResult: Bool
        let valueCount: Int
        let sql: String
    }

    private static let limit = 4
    /// Queries with more values, or with longer SQL in bytes, are not kept.
    private static let valueLimit = 64
    private static let lengthLimit = 4096
    private var entries: [Entry] = []
    private var next = 0

    /// Returns the SQL of a query, and its values; `nil` if no similar query was built before.
    func find(_ query: Query, forSingleResult: Bool) -> (sql: String, values: [DatabaseValue])? {
        for entry in entries
        where entry.isForSingleResult == forSingleResult && entry.limit?.count == query.limit?.count
            && entry.limit?.offset == query.limit?.offset
        {
            if let values = entry.shape.values(of: query, count: entry.valueCount) {
                return (entry.sql, values)
            }
        }
        return nil
    }

    /// Keeps the SQL of a query, provided that it can be found again.
    mutating func insert(_ query: Query, forSingleResult: Bool, sql: String, in table: QueryTable) {
        guard sql.utf8.count <= Self.lengthLimit, let (shape, values) = QueryShape.shape(of: query),
            values.count <= Self.valueLimit, !query.mayRestrictRowIDs(of: table)
        else { return }
        let entry = Entry(
            shape: shape, limit: query.limit, isForSingleResult: forSingleResult, valueCount: values.count,
            sql: sql)
        if entries.count < Self.limit {
            entries.append(entry)
        } else {
            entries[next] = entry
            next = (next + 1) % Self.limit
        }
    }
}

extension Query {
    /// Whether the values of a similar query may determine which rows affect its observations.
    fileprivate func mayRestrictRowIDs(of table: QueryTable) -> Bool {
        filters.contains { filter in
            guard case .value(let condition) = filter else { return true }
            return condition.mayRestrictRowIDs(of: table)
        }
    }
}

extension SQLExpression {
    fileprivate func mayRestrictRowIDs(of table: QueryTable) -> Bool {
        switch node {
        case .chain(_, let operands): operands.contains { $0.mayRestrictRowIDs(of: table) }
        case .equality(_, let a, let b): a.isRowID(of: table) || b.isRowID(of: table)
        case .membership(let element, _, _): element.isRowID(of: table)
        case .collated(let expression, _): expression.mayRestrictRowIDs(of: table)
        // A constant condition: all rows, or none.
        case nil: true
        default: false
        }
    }

    private func isRowID(of table: QueryTable) -> Bool {
        switch node {
        case .column(let name): table.isRowID(name)
        case nil: false
        case .detachedColumn: false
        default: true
        }
    }
}
