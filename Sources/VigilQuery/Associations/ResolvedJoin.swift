import VigilEngine
import VigilRegions
import VigilStorage

/// A table joined by a query, in a database.
struct ResolvedJoin {
    let key: String
    var isOptional: Bool
    /// Whether a row is linked to at most one row.
    let isToOne: Bool
    let table: QueryTable
    /// The aliases of the table; at least one.
    let aliases: [TableAliasBase]
    var selection: [SQLSelection]
    let condition: SQLExpression?
    private let ordering: [SQLOrdering]
    var joins: [ResolvedJoin]
    /// The unique name of the table in the query.
    var name = ""

    var reference: TableReference { TableReference(tableName: table.name, name: name, isQualified: true) }

    /// The order of the table, then the orders of the tables joined with it.
    var allOrderings: [SQLOrdering] { ordering + joins.flatMap(\.allOrderings) }

    /// Returns the join without the columns of its table and of the tables joined with it.
    func selectingNothing() -> ResolvedJoin {
        var join = self
        join.selection = []
        join.joins = joins.map { $0.selectingNothing() }
        return join
    }
}

extension ResolvedJoin {
    /// Resolves an association of a query.
    ///
    /// - Parameter isReversed: Whether the query has the opposite order.
    fileprivate init(
        _ child: QueryChild, _ db: Database, left: (table: String, alias: TableAliasBase), isReversed: Bool
    ) throws {
        for child in child.query.children { try child.check() }
        let query = child.query
        let aliases = query.aliases.isEmpty ? [TableAliasBase(name: nil)] : query.aliases
        let alias = aliases[0]
        key = child.key
        isOptional = child.kind == .optional
        isToOne = child.isToOne
        table = try QueryTable.named(query.table, db)
        self.aliases = aliases
        selection = try query.selection.flatMap { try $0.resolve(db) }
        let link = try child.condition.expression(db, left: left, right: alias)
        let filters = try query.filters.map { try $0.resolve(db).ofConjunction(alias) }
        let conditions = (link.map { [$0] } ?? []) + filters
        condition = conditions.isEmpty ? nil : .chain(.and, conditions)
        let isReversed = query.isReversed != isReversed
        let joins = try query.resolvedJoins(db, alias, isReversed: isReversed)
        self.joins = joins
        let terms = try query.ordering.flatMap { try $0.resolve(db) }.map { $0.of(alias) }
        ordering = try isReversed ? terms.map { try $0.reversed() } : terms
    }
}

extension Query {
    /// Resolves the joins of the query.
    ///
    /// - Parameter isReversed: Whether the joined tables have the opposite order.
    func resolvedJoins(_ db: Database, _ alias: TableAliasBase, isReversed: Bool) throws -> [ResolvedJoin] {
        try children.filter(\.kind.isJoined).map {
            try ResolvedJoin($0, db, left: (table, alias), isReversed: isReversed)
        }
    }
}

extension SQLExpression {
    /// Returns the expression with the columns of an aliased table. The operands of `AND` remain operands of
    /// the expression.
    fileprivate func ofConjunction(_ alias: TableAliasBase) -> SQLExpression {
        guard case .chain(.and, let operands)? = node else { return of(alias) }
        return .chain(.and, operands.map { $0.ofConjunction(alias) })
    }
}

// MARK: - Names

extension ResolvedQuery {
    /// Returns the names of result columns other than columns of the table.
    func newResultNames() -> Set<ColumnName> {
        let names = selection.compactMap { selection in
            if case .named(_, let name) = selection.content { name } else { nil }
        }
        guard !names.isEmpty, let columns = try? table.columns() else { return [] }
        return Set(names.filter { !table.isRowID($0) }.map { ColumnName($0) })
            .subtracting(columns.map { ColumnName($0) })
    }

    /// Gives each table of a query with joins a unique name.
    ///
    /// - Throws: `SQLITE_MISUSE` if an alias stands for several tables, or two aliases have the same name.
    mutating func nameTables() throws {
        var tables = [NamedTable(table: table.name, aliases: aliases)]
        for join in joins { join.collectTables(into: &tables) }
        try tables.checkAliases()
        var names = tables.uniqueNames()[...]
        nameInJoin = names.popFirst()
        joins.takeNames(from: &names)
    }
}

extension [ResolvedJoin] {
    fileprivate mutating func takeNames(from names: inout ArraySlice<String>) {
        for index in indices {
            if let name = names.popFirst() { self[index].name = name }
            self[index].joins.takeNames(from: &names)
        }
    }
}

extension ResolvedJoin {
    fileprivate func collectTables(into tables: inout [NamedTable]) {
        tables.append(NamedTable(table: table.name, aliases: aliases))
        for join in joins { join.collectTables(into: &tables) }
    }

    /// Calls a closure with the aliases of this table and of the tables joined with it.
    func forEachAlias(_ body: (TableAliasBase, TableReference) -> Void) {
        for alias in aliases { body(alias, reference) }
        for join in joins { join.forEachAlias(body) }
    }
}

/// A table of a query, with its aliases.
private struct NamedTable {
    let table: String
    let aliases: [TableAliasBase]

    /// The name chosen by the program; `nil` if the query chooses it.
    var givenName: String? { aliases.lazy.compactMap(\.name).first }
}

extension [NamedTable] {
    fileprivate func checkAliases() throws {
        var known: Set<TableAliasBase> = []
        var names: Set<String> = []
        for table in self {
            for alias in table.aliases where !known.insert(alias).inserted {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message:
                        "a table alias stands for several tables of a request: use an alias for each table")
            }
            if let name = table.givenName, !names.insert(name.lowercased()).inserted {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "two table aliases of a request have the name \(name): use different names")
            }
        }
    }

    /// Returns a name for each table: its own, if it is unique, or else a numbered one.
    fileprivate func uniqueNames() -> [String] {
        let names = map { $0.givenName ?? $0.table }
        let groups = Dictionary(grouping: names.indices) { names[$0].lowercased() }
        var used = Set(groups.filter { $0.value.count == 1 }.keys)
        for table in self { if let name = table.givenName { used.insert(name.lowercased()) } }
        var result = names
        var numbers: [String: Int] = [:]
        for index in indices where self[index].givenName == nil {
            let group = names[index].lowercased()
            guard (groups[group]?.count ?? 0) > 1 else { continue }
            let letters = names[index].withoutFinalDigits
            var name: String
            repeat {
                numbers[group, default: 0] += 1
                name = letters + String(numbers[group] ?? 1)
            } while used.contains(name.lowercased())
            used.insert(name.lowercased())
            result[index] = name
        }
        return result
    }
}

extension String {
    fileprivate var withoutFinalDigits: String {
        String(dropLast(reversed().prefix { $0.isASCII && $0.isNumber }.count))
    }
}
