import VigilEngine
import VigilStorage

// A join with the rows of a to-many association repeats the rows of the other tables. Aggregates such as sums
// count each row once, so they are then computed by subqueries.

/// The rows of an association's table, as a subquery of the request joined with them.
///
/// The subquery and the request use the same table names. The subquery hides the names of the request, so
/// expressions are written the same way in both.
struct AggregatedRows {
    /// The first table of the association, with its joined tables. No join repeats the rows.
    fileprivate let join: ResolvedJoin
    /// The required rows. Only their existence matters.
    fileprivate let required: [ResolvedJoin]
    /// The conditions of the request on these tables, and its own table.
    fileprivate let conditions: [SQLExpression]
    fileprivate let origin: TableReference

    /// Writes the subquery of an aggregate.
    func write(selecting aggregate: SQLExpression, to writer: inout SQLWriter) throws {
        writer.write("(SELECT ")
        try writer.write(aggregate)
        try join.writeRows(to: &writer)
        for join in required {
            writer.write(" AND EXISTS (SELECT 1")
            try join.writeRows(to: &writer)
            writer.write(")")
        }
        for condition in conditions {
            writer.write(" AND ")
            try writer.with(table: origin) { try $0.write(operand: condition) }
        }
        writer.write(")")
    }
}

extension SQLWriter {
    /// Writes an aggregate over the rows of an aliased table, counting each row once.
    mutating func write(_ aggregate: SQLExpression, ofRowsOf alias: TableAliasBase) throws {
        guard let rows = try joinedQuery?.repeatedRows(of: alias) else { return try write(aggregate) }
        try rows.write(selecting: aggregate, to: &self)
    }
}

extension ResolvedQuery {
    /// Returns the rows of an aliased table; `nil` if the joins of the query do not repeat them.
    ///
    /// - Throws: `SQLITE_MISUSE` if a condition of the query relates the rows to repeating ones, or if the
    ///   groups of the query contain several rows of its own table.
    func repeatedRows(of alias: TableAliasBase) throws -> AggregatedRows? {
        guard joins.repeatRows(of: alias), let first = joins.first(where: { $0.contains(alias) }) else {
            return nil
        }
        guard table.hasOneRow(inGroupsBy: grouping.compactMap(\.columnName)) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    a request of table \(table.name) aggregates one of several to-many associations in groups of several \
                    rows: aggregate it in a common table expression
                    """)
        }
        var required: [ResolvedJoin] = []
        let join = first.withoutRepetitions(of: alias, &required)
        let conditions = try conditions(on: join)
        return AggregatedRows(join: join, required: required, conditions: conditions, origin: reference())
    }

    private func conditions(on join: ResolvedJoin) throws -> [SQLExpression] {
        guard let filter else { return [] }
        var (own, all): (Set<TableAliasBase>, Set<TableAliasBase>) = ([], [])
        join.forEachAlias { alias, _ in own.insert(alias) }
        for join in joins { join.forEachAlias { alias, _ in all.insert(alias) } }
        return try filter.conjuncts.filter { condition in
            let aliases = condition.aliases.intersection(all)
            guard !aliases.isDisjoint(with: own) else { return false }
            guard aliases.isSubset(of: own) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: """
                        a condition of a request of table \(table.name) compares rows of different to-many \
                        associations, one of which is aggregated: aggregate it in a common table expression
                        """)
            }
            return true
        }
    }
}

extension [ResolvedJoin] {
    /// Returns whether the joins may repeat the rows of an aliased table.
    fileprivate func repeatRows(of alias: TableAliasBase) -> Bool {
        contains { $0.contains(alias) ? $0.joins.repeatRows(of: alias) : $0.repeatsRows }
    }
}

extension ResolvedJoin {
    /// Returns whether an alias stands for the table, or for a table joined with it.
    fileprivate func contains(_ alias: TableAliasBase) -> Bool {
        aliases.contains(alias) || joins.contains { $0.contains(alias) }
    }

    /// Whether the join may return several rows for one row of the left table.
    fileprivate var repeatsRows: Bool { !isToOne || joins.contains(where: \.repeatsRows) }

    /// Returns the join without the inner joins that repeat the rows of an aliased table.
    ///
    /// - Parameters:
    ///   - alias: An alias of the table, or of a table joined with it; `nil` for neither.
    ///   - required: The list for removed inner joins, if they exclude rows.
    fileprivate func withoutRepetitions(
        of alias: TableAliasBase?, _ required: inout [ResolvedJoin]
    ) -> ResolvedJoin {
        var join = self
        join.joins = []
        for var inner in joins {
            if let alias, inner.contains(alias) {
                inner = inner.withoutRepetitions(of: alias, &required)
                inner.isOptional = false
            } else if !inner.isToOne {
                if !inner.isOptional { required.append(inner) }
                continue
            } else if inner.repeatsRows {
                var innerRequired: [ResolvedJoin] = []
                inner = inner.withoutRepetitions(of: nil, &innerRequired)
                if !inner.isOptional { required += innerRequired }
            }
            join.joins.append(inner)
        }
        return join
    }

    /// Writes `FROM table JOIN … WHERE condition`.
    fileprivate func writeRows(to writer: inout SQLWriter) throws {
        writer.write(" FROM ")
        writeTable(to: &writer)
        for join in joins { try join.write(to: &writer) }
        writer.write(" WHERE ")
        guard let condition else { return writer.write(writer.db.dialect.booleanLiterals.positive) }
        try writer.with(table: reference) { try $0.write(operand: condition) }
    }
}

extension SQLExpression {
    /// The operands of a conjunction, or else the expression.
    fileprivate var conjuncts: [SQLExpression] {
        if case .chain(.and, let operands)? = node { operands.flatMap(\.conjuncts) } else { [self] }
    }

    /// The aliases in the expression, except in its subqueries.
    fileprivate var aliases: Set<TableAliasBase> {
        switch node {
        case .columnOf(let alias, _), .rowKeyOf(let alias), .rowExists(let alias, _): [alias]
        case .aliased(let expression, let alias): expression.aliases.union([alias])
        case .literal(let sql):
            sql.elements.reduce(into: []) { aliases, element in
                if case .expression(let expression) = element { aliases.formUnion(expression.aliases) }
            }
        case let node?: (node.operands ?? []).reduce(into: []) { $0.formUnion($1.aliases) }
        case nil: []
        }
    }
}
