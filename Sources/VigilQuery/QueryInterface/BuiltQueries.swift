import VigilEngine
import VigilStorage

/// The SQL of the last queries of a table, for queries that differ from them only in their values.
///
/// Comparing a query with a previous one costs a fraction of generating its SQL (bench: request-build). The queries are
/// kept by ``QueryTable``, which is discarded when the schema changes. Queries whose SQL depends on anything other than
/// their own parts, such as closures and subqueries, are never found.
struct BuiltQueries {
    private struct Entry {
        let query: Query
        let isForSingleResult: Bool
        let sql: String
    }

    private static let limit = 4
    /// Queries with more values are not kept, nor are those with longer SQL, in bytes.
    private static let valueLimit = 64
    private static let lengthLimit = 4096
    private var entries: [Entry] = []
    private var next = 0

    /// Returns the SQL of a query, and its values; `nil` if no similar query was built before.
    func find(_ query: Query, forSingleResult: Bool) -> (sql: String, values: [DatabaseValue])? {
        for index in entries.indices where entries[index].isForSingleResult == forSingleResult {
            var values: [DatabaseValue] = []
            if query.isSimilar(to: entries[index].query, &values) { return (entries[index].sql, values) }
        }
        return nil
    }

    /// Keeps the SQL of a query, if it is found again.
    mutating func insert(_ query: Query, forSingleResult: Bool, sql: String, in table: QueryTable) {
        var values: [DatabaseValue] = []
        guard sql.utf8.count <= Self.lengthLimit, query.isSimilar(to: query, &values),
            values.count <= Self.valueLimit, !values.contains(where: \.isLong),
            !query.mayRestrictRowIDs(of: table)
        else { return }
        var query = query
        // The selection of a record type may differ for the next query.
        query.selection = query.selection.map { part in part.independentValue.map { .value($0) } ?? part }
        let entry = Entry(query: query, isForSingleResult: forSingleResult, sql: sql)
        if entries.count < Self.limit {
            entries.append(entry)
        } else {
            entries[next] = entry
            next = (next + 1) % Self.limit
        }
    }
}

extension DatabaseValue {
    /// Whether the value should not be kept.
    fileprivate var isLong: Bool {
        switch storageValue {
        case .text(let text): text.utf8.count > 256
        case .blob(let bytes): bytes.count > 256
        case .null, .integer, .real: false
        }
    }
}

extension Query {
    /// Returns whether two plain queries of the same table have the same SQL. Queries that depend on closures do not.
    ///
    /// - Parameter values: The values of this query, in the order of their parameters.
    fileprivate func isSimilar(to other: Query, _ values: inout [DatabaseValue]) -> Bool {
        guard filters.count == other.filters.count, ordering.count == other.ordering.count,
            selection.count == other.selection.count, isDistinct == other.isDistinct,
            isReversed == other.isReversed, limit?.count == other.limit?.count,
            limit?.offset == other.limit?.offset, table.isIdentical(to: other.table)
        else { return false }
        for index in selection.indices {
            guard let a = selection[index].independentValue, let b = other.selection[index].independentValue,
                a.isSimilar(to: b, &values)
            else { return false }
        }
        for index in filters.indices {
            guard case .value(let a) = filters[index], case .value(let b) = other.filters[index],
                a.isSimilar(to: b, &values)
            else { return false }
        }
        for index in ordering.indices {
            guard case .value(let a) = ordering[index], case .value(let b) = other.ordering[index],
                a.isSimilar(to: b, &values)
            else { return false }
        }
        return true
    }

    /// Whether the query consists of one table without aliases, groups and common table expressions.
    var isPlain: Bool {
        !isTableExpression && aliases.isEmpty && grouping == nil && groupFilters.isEmpty
            && tableExpressions.isEmpty
    }

    /// Whether the values of a similar query may determine the rows that matter to its observations.
    fileprivate func mayRestrictRowIDs(of table: QueryTable) -> Bool {
        filters.contains { filter in
            guard case .value(let condition) = filter else { return true }
            return condition.mayRestrictRowIDs(of: table)
        }
    }
}

extension [SQLSelection] {
    fileprivate func isSimilar(to others: [SQLSelection], _ values: inout [DatabaseValue]) -> Bool {
        guard count == others.count else { return false }
        for index in indices {
            switch (self[index].content, others[index].content) {
            case (.allColumns, .allColumns): continue
            case (.expression(let a), .expression(let b)):
                guard a.isSimilar(to: b, &values) else { return false }
            default: return false
            }
        }
        return true
    }
}

extension [SQLOrdering] {
    fileprivate func isSimilar(to others: [SQLOrdering], _ values: inout [DatabaseValue]) -> Bool {
        guard count == others.count else { return false }
        for index in indices {
            guard case .expression(let a, let direction) = self[index].content,
                case .expression(let b, let otherDirection) = others[index].content,
                direction == otherDirection, a.isSimilar(to: b, &values)
            else { return false }
        }
        return true
    }
}

extension [SQLExpression] {
    fileprivate func isSimilar(to others: [SQLExpression], _ values: inout [DatabaseValue]) -> Bool {
        guard count == others.count else { return false }
        for index in indices where !self[index].isSimilar(to: others[index], &values) { return false }
        return true
    }
}

extension SQLExpression {
    /// Returns whether two expressions have the same SQL: they differ only in values that are not NULL.
    fileprivate func isSimilar(to other: SQLExpression, _ values: inout [DatabaseValue]) -> Bool {
        switch (nodeReference, other.nodeReference) {
        case (let a?, let b?): return a.node.isSimilar(to: b.node, &values)
        case (nil, nil):
            guard isNullLiteral == other.isNullLiteral, let value else { return false }
            if !value.isNull { values.append(value) }
            return true
        default: return false
        }
    }

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

extension ExpressionNode {
    fileprivate func isSimilar(to other: ExpressionNode, _ values: inout [DatabaseValue]) -> Bool {
        switch (self, other) {
        case (.column(let a), .column(let b)), (.detachedColumn(let a), .detachedColumn(let b)):
            return a.isIdentical(to: b)
        case (.operation(let symbol, let a, let b), .operation(let otherSymbol, let c, let d)):
            return symbol.isIdentical(to: otherSymbol) && a.isSimilar(to: c, &values)
                && b.isSimilar(to: d, &values)
        case (.equality(let test, let a, let b), .equality(let otherTest, let c, let d)):
            return test == otherTest && a.isSimilar(to: c, &values) && b.isSimilar(to: d, &values)
        case (.chain(let chainOperator, let a), .chain(let otherOperator, let b)):
            return chainOperator.symbol.isIdentical(to: otherOperator.symbol) && a.isSimilar(to: b, &values)
        case (.not(let a), .not(let b)): return a.isSimilar(to: b, &values)
        case (.between(let a, let b, let c, let isNegated), .between(let d, let e, let f, let otherIsNegated)):
            return isNegated == otherIsNegated && a.isSimilar(to: d, &values) && b.isSimilar(to: e, &values)
                && c.isSimilar(to: f, &values)
        case (.like(let a, let b, nil, let isNegated), .like(let c, let d, nil, let otherIsNegated)):
            return isNegated == otherIsNegated && a.isSimilar(to: c, &values) && b.isSimilar(to: d, &values)
        case (
            .membership(let a, .expressions(let b), let isNegated),
            .membership(let c, .expressions(let d), let otherIsNegated)
        ):
            return isNegated == otherIsNegated && a.isSimilar(to: c, &values) && b.isSimilar(to: d, &values)
        default: return false
        }
    }
}
