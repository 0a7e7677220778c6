import VigilEngine
import VigilStorage

// Properties of a query's rows, derived without running the query.
extension ResolvedQuery {
    /// The row ids of all significant rows; `nil` if they are unknown.
    ///
    /// They are known only if the table is read nowhere else in the query: neither in a subquery nor in SQL
    /// text, because it may contain a subquery.
    var rowIDs: Set<Int64>? {
        guard let filter, table.isTable, tableExpressions.isEmpty, let rowIDs = rowIDs(in: filter),
            readsOnlyItsRows, joins.allSatisfy({ $0.readsOnlyOtherTables(than: table) })
        else { return nil }
        return rowIDs
    }

    /// Whether the query returns at most one row.
    var returnsAtMostOneRow: Bool {
        if grouping.isEmpty, groupFilter == nil, selection.contains(where: \.isAggregate) { return true }
        guard let filter, joins.isEmpty, table.metadata != nil, !table.isView else { return false }
        return table.uniqueKey(among: identifyingColumns(in: filter)) != nil
    }

    private var readsOnlyItsRows: Bool {
        (filter?.readsOnlyItsRow ?? true) && (groupFilter?.readsOnlyItsRow ?? true)
            && grouping.allSatisfy(\.readsOnlyItsRow) && selection.allSatisfy(\.readsOnlyItsRow)
            && ordering.allSatisfy(\.readsOnlyItsRow)
    }

    private func rowIDs(in condition: SQLExpression) -> Set<Int64>? {
        guard let reference = condition.nodeReference else {
            guard let value = condition.value else { return nil }
            return value.isNull || value == false.databaseValue ? [] : nil
        }
        switch reference.node {
        case .chain(.and, let operands):
            var common: Set<Int64>?
            for operand in operands {
                guard let rowIDs = rowIDs(in: operand) else { continue }
                common = common?.intersection(rowIDs) ?? rowIDs
            }
            return common
        case .chain(.or, let operands):
            var union: Set<Int64> = []
            for operand in operands {
                guard let rowIDs = rowIDs(in: operand) else { return nil }
                union.formUnion(rowIDs)
            }
            return union
        case .membership(let element, .expressions(let expressions), isNegated: false) where isRowID(element):
            return rowIDs(equalToOneOf: expressions)
        case .equality(.equal, let a, let b), .equality(.identical, let a, let b):
            if isRowID(a) { return rowIDs(equalToOneOf: [b]) }
            return isRowID(b) ? rowIDs(equalToOneOf: [a]) : nil
        case .collated(let inner, _): return rowIDs(in: inner)
        default: return nil
        }
    }

    /// Returns the row ids among values; `nil` if a value is an expression, or text or a real number
    /// convertible to a row id by SQLite.
    private func rowIDs(equalToOneOf expressions: [SQLExpression]) -> Set<Int64>? {
        var rowIDs: Set<Int64> = []
        for expression in expressions {
            guard let value = expression.value else { return nil }
            switch value.storage {
            case .int64(let rowID): rowIDs.insert(rowID)
            case .null, .blob: break
            case .double, .string: return nil
            }
        }
        return rowIDs
    }

    private func isRowID(_ expression: SQLExpression) -> Bool {
        column(of: expression).map { table.isRowID($0) } ?? false
    }

    /// Returns the columns with one constant value in all rows meeting a condition.
    private func identifyingColumns(in condition: SQLExpression) -> [String] {
        switch condition.node {
        case .chain(.and, let operands): return operands.flatMap { identifyingColumns(in: $0) }
        case .equality(.equal, let a, let b), .equality(.identical, let a, let b):
            if let column = column(of: a), b.isConstant { return [column] }
            if let column = column(of: b), a.isConstant { return [column] }
            return []
        default: return []
        }
    }

    private func column(of expression: SQLExpression) -> String? {
        switch expression.node {
        case .column(let name): name
        case .columnOf(let alias, let name): aliases.contains(alias) ? name : nil
        case .rowKey: table.primaryKey?.fastPrimaryKeyColumn
        case .json(let expression): column(of: expression)
        default: nil
        }
    }
}

extension ResolvedJoin {
    /// Whether the join, and the joins with its table, read no rows of the given table.
    fileprivate func readsOnlyOtherTables(than other: QueryTable) -> Bool {
        table.isTable && table.metadata?.name != other.metadata?.name
            && (condition?.readsOnlyItsRow ?? true) && selection.allSatisfy(\.readsOnlyItsRow)
            && joins.allSatisfy { $0.readsOnlyOtherTables(than: other) }
    }
}

extension SQLExpression {
    /// The name of the column, if the expression is a column of the request's table.
    var columnName: String? {
        if case .column(let name)? = node { name } else { nil }
    }

    /// Whether the expression has the same value in all rows: it consists of values.
    var isConstant: Bool {
        if value != nil { return true }
        switch node {
        case .operation(_, let a, let b): return a.isConstant && b.isConstant
        case .chain(_, let operands): return operands.allSatisfy(\.isConstant)
        case .prefix(_, let operand), .cast(let operand, _): return operand.isConstant
        default: return false
        }
    }

    /// Whether the expression certainly has one value for each row: it contains neither an aggregate nor a
    /// part with a possible aggregate, such as SQL text.
    var isRowwise: Bool {
        guard let node else { return true }
        switch node {
        case .countAll, .aggregate: return false
        case .aliased(let expression, _): return expression.isRowwise
        case .rowExists, .fullText: return true
        case .function(let call):
            return !call.isAggregate && call.filter == nil && call.ordering == nil
                && call.arguments.allSatisfy(\.isRowwise)
        case .membership(let element, .table, _): return element.isRowwise
        case .tableMatch(let pattern): return pattern.isRowwise
        default: return node.operands?.allSatisfy(\.isRowwise) ?? false
        }
    }

    /// Whether the expression is known to contain an aggregate.
    var isAggregate: Bool {
        switch node {
        case .aliased(let expression, _): return expression.isAggregate
        case .function(let call): return call.isAggregate || call.arguments.contains(where: \.isAggregate)
        case .countAll, .aggregate: return true
        case let node?: return node.operands?.contains(where: \.isAggregate) ?? false
        case nil: return false
        }
    }

    /// Whether the expression depends on nothing but its row: it contains no subquery and no SQL text.
    var readsOnlyItsRow: Bool {
        guard let node else { return true }
        switch node {
        case .aliased(let expression, _): return expression.readsOnlyItsRow
        case .rowExists: return true
        default: return node.operands?.allSatisfy(\.readsOnlyItsRow) ?? false
        }
    }
}

extension ExpressionNode {
    /// The operands of the expression; `nil` if it also contains a subquery, or a reference to another table.
    var operands: [SQLExpression]? {
        switch self {
        case .column, .columnOf, .detachedColumn, .rowKey, .rowKeyOf, .countAll: []
        case .row(let expressions), .chain(_, let expressions): expressions
        case .operation(_, let a, let b), .equality(_, let a, let b), .extraction(_, let a, let b): [a, b]
        case .prefix(_, let operand), .not(let operand), .collated(let operand, _), .cast(let operand, _),
            .countIsZero(let operand, _), .json(let operand):
            [operand]
        case .between(let value, let lower, let upper, _): [value, lower, upper]
        case .like(let value, let pattern, let escape, _): [value, pattern] + (escape.map { [$0] } ?? [])
        case .membership(let element, .expressions(let expressions), _): [element] + expressions
        case .function(let call):
            call.ordering.map(\.readsOnlyItsRow) == false
                ? nil : call.arguments + (call.filter.map { [$0] } ?? [])
        case .membership, .exists, .rowExists, .tableMatch, .fullText, .aggregate, .aliased, .subquery,
            .literal:
            nil
        }
    }
}

extension SQLSelection {
    var isAggregate: Bool {
        switch content {
        case .expression(let expression), .named(let expression, _): expression.isAggregate
        default: false
        }
    }

    fileprivate var readsOnlyItsRow: Bool {
        switch content {
        case .allColumns, .allColumnsOf, .allColumnsExcluding, .allColumnsOfExcluding: true
        case .expression(let expression), .named(let expression, _): expression.readsOnlyItsRow
        case .literal: false
        }
    }
}

extension SQLOrdering {
    fileprivate var readsOnlyItsRow: Bool {
        if case .expression(let expression, _) = content { expression.readsOnlyItsRow } else { false }
    }
}
