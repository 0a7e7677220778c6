import VigilEngine
import VigilRegions
import VigilStorage

extension Query {
    /// The SQL of a query, and the values of its parameters.
    struct Built {
        let sql: String
        let arguments: StatementArguments
        /// The only rows that can affect the result; `nil` if they are unknown.
        var knownRows: (table: TableName, rowIDs: Set<Int64>)?

        func makeStatement(_ db: Database) throws -> Statement {
            let statement = try db.leaseStatement(sql: sql)
            try statement.setArguments(arguments)
            // The known rows matter only to observations and to `databaseRegion(_:)`.
            if let knownRows { statement.knownRows = knownRows }
            return statement
        }
    }

    /// Generates the SQL of the query, or takes that of a similar one.
    func build(_ db: Database, forSingleResult singleResult: Bool = false) throws -> Built {
        guard isPlain else { return try buildResolved(db, forSingleResult: singleResult).built }
        let table = try QueryTable.named(table, db)
        if let known = table.builtQueries.find(self, forSingleResult: singleResult) {
            return Built(sql: known.sql, arguments: StatementArguments(databaseValues: known.values))
        }
        let built = try buildResolved(db, forSingleResult: singleResult).built
        if table.isTable {
            table.builtQueries.insert(self, forSingleResult: singleResult, sql: built.sql, in: table)
        }
        return built
    }

    func makeStatement(_ db: Database, forSingleResult singleResult: Bool) throws -> Statement {
        try build(db, forSingleResult: singleResult).makeStatement(db)
    }

    private func buildResolved(_ db: Database, forSingleResult singleResult: Bool) throws
        -> (built: Built, resolved: ResolvedQuery)
    {
        var resolved = try resolved(db)
        if singleResult, !resolved.returnsAtMostOneRow, resolved.limit == nil {
            resolved.limit = Limit(count: 1)
        }
        var writer = SQLWriter(db)
        try resolved.write(to: &writer)
        return (resolved.built(writer), resolved)
    }

    /// Returns a statement with its arguments, and an adapter with scopes for the joined tables.
    func makeJoinedStatement(_ db: Database, forSingleResult singleResult: Bool) throws -> (
        statement: Statement, adapter: (any RowAdapter)?
    ) {
        let (built, resolved) = try buildResolved(db, forSingleResult: singleResult)
        let statement = try built.makeStatement(db)
        return (statement, try resolved.rowAdapter(columnCount: statement.columnCount))
    }

    func hasRows(_ db: Database) throws -> Bool {
        let resolved = try resolved(db)
        var writer = SQLWriter(db)
        writer.write("SELECT EXISTS (")
        // Old libraries replace the limit of a query in EXISTS with 1.
        let isEmpty = limit?.count == 0
        if isEmpty { writer.write("SELECT * FROM (") }
        try resolved.write(to: &writer)
        if isEmpty { writer.write(")" + db.dialect.unnamedSubquerySuffix) }
        writer.write(")")
        return try Bool.fetchOne(resolved.makeStatement(writer)) ?? false
    }

    func fetchCount(_ db: Database) throws -> Int {
        var resolved = try resolved(db)
        resolved.ordering = []
        if let distinct = resolved.onlyDistinctExpression {
            return try resolved.fetchCount(ofDistinct: distinct, db)
        }
        var writer = SQLWriter(db)
        if resolved.countsItsRows {
            try resolved.write(selecting: SQLExpression(.countAll), to: &writer)
        } else {
            writer.write("SELECT COUNT(*) FROM (")
            try resolved.write(to: &writer)
            writer.write(")")
            writer.write(db.dialect.unnamedSubquerySuffix)
        }
        return try Int.fetchOne(resolved.makeStatement(writer)) ?? 0
    }
}

extension ResolvedQuery {
    func makeStatement(_ writer: borrowing SQLWriter) throws -> Statement {
        try built(writer).makeStatement(writer.db)
    }

    fileprivate func built(_ writer: borrowing SQLWriter) -> Query.Built {
        var built = Query.Built(sql: writer.sql, arguments: writer.arguments)
        if let rowIDs, let name = table.metadata?.name { built.knownRows = (name, rowIDs) }
        return built
    }

    /// Whether `SELECT COUNT(*)` from the same rows has the right result: the query has one row for each of
    /// them.
    fileprivate var countsItsRows: Bool {
        guard joins.isEmpty, !isDistinct, limit == nil, grouping.isEmpty, groupFilter == nil else {
            return false
        }
        return selection.allSatisfy { selection in
            switch selection.content {
            case .allColumns, .allColumnsOf, .allColumnsExcluding, .allColumnsOfExcluding: true
            case .expression(let expression): expression.isRowwise
            // The filter may refer to the name.
            case .named(let expression, _): filter == nil && expression.isRowwise
            case .literal: false
            }
        }
    }

    /// The only selected expression, if the result is its distinct values.
    fileprivate var onlyDistinctExpression: SQLExpression? {
        guard joins.isEmpty, isDistinct, limit == nil, grouping.isEmpty, groupFilter == nil,
            selection.count == 1
        else {
            return nil
        }
        switch selection[0].content {
        case .expression(let expression) where expression.isRowwise: return expression
        // The filter may refer to the name.
        case .named(let expression, _) where filter == nil && expression.isRowwise: return expression
        default: return nil
        }
    }

    /// `COUNT(DISTINCT …)` ignores NULL, unlike `SELECT DISTINCT`.
    fileprivate func fetchCount(ofDistinct expression: SQLExpression, _ db: Database) throws -> Int {
        var hasNull = false
        if !isNotNull(expression) {
            var nulls = self
            nulls.isDistinct = false
            nulls.filter = .chain(.and, (filter.map { [$0] } ?? []) + [.equal(expression, .null)])
            var writer = SQLWriter(db)
            writer.write("SELECT EXISTS (")
            try nulls.write(to: &writer)
            writer.write(")")
            hasNull = try Bool.fetchOne(nulls.makeStatement(writer)) ?? false
        }
        var writer = SQLWriter(db)
        let call = FunctionCall(name: "COUNT", arguments: [expression], isAggregate: true, isDistinct: true)
        try write(selecting: SQLExpression(.function(call)), to: &writer)
        return try (Int.fetchOne(makeStatement(writer)) ?? 0) + (hasNull ? 1 : 0)
    }

    private func isNotNull(_ expression: SQLExpression) -> Bool {
        guard case .column(let name)? = expression.node else { return false }
        if table.isRowID(name) { return true }
        return table.metadata?.columns.first { $0.name.isSameName(as: name) }?.isNotNull ?? false
    }
}

extension SQLWriter {
    borrowing func makeStatement() throws -> Statement {
        let statement = try db.leaseStatement(sql: sql)
        try statement.setArguments(arguments)
        return statement
    }
}
