import VigilEngine
import VigilStorage

// Statements to delete or update the rows of a query.
extension Query {
    func deleteAll(_ db: Database) throws -> Int {
        let resolved = try resolved(db)
        let statement = try resolved.deletion(db, returning: []).makeStatement()
        return try resolved.table.countChanges(db) { try statement.execute() }
    }

    /// Returns a statement to delete the rows and return their columns.
    ///
    /// - Throws: `DatabaseError` if the library has no `RETURNING` clause.
    func deletion(_ db: Database, returning selection: [SQLSelection]) throws -> Statement {
        try db.require(.returning)
        return try resolved(db).deletion(db, returning: selection).makeStatement()
    }

    /// Updates the rows, and returns their number. Without assignments, it does nothing and returns 0.
    func updateAll(
        _ db: Database, onConflict conflict: Database.ConflictResolution, _ assignments: [ColumnAssignment]
    ) throws -> Int {
        guard !assignments.isEmpty else { return 0 }
        let resolved = try resolved(db)
        let statement = try resolved.update(db, onConflict: conflict, assignments, returning: [])
            .makeStatement()
        return try resolved.table.countChanges(db) { try statement.execute() }
    }

    /// Returns a statement to update the rows and return their columns.
    ///
    /// - Throws: `DatabaseError` if nothing is assigned, or if the library has no `RETURNING` clause.
    func update(
        _ db: Database, onConflict conflict: Database.ConflictResolution, _ assignments: [ColumnAssignment],
        returning selection: [SQLSelection]
    ) throws -> Statement {
        try db.require(.returning)
        guard !assignments.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "an update of table \(table) assigns nothing: pass an assignment")
        }
        return try resolved(db).update(db, onConflict: conflict, assignments, returning: selection)
            .makeStatement()
    }
}

extension QueryTable {
    /// Runs a statement on the table, and returns the number of changed rows.
    func countChanges(_ db: Database, _ run: () throws -> Void) throws -> Int {
        // The number does not include the changes of triggers. All changes of a view are made by triggers.
        let total = db.totalChangesCount
        try run()
        return isView ? db.lastWrite.totalChanges - total : db.lastWrite.changes
    }
}

extension ResolvedQuery {

    fileprivate func deletion(_ db: Database, returning selection: [SQLSelection]) throws -> SQLWriter {
        try write(db, returning: selection, { $0.write("DELETE FROM ") }, assigning: nil)
    }

    fileprivate func update(
        _ db: Database, onConflict conflict: Database.ConflictResolution, _ assignments: [ColumnAssignment],
        returning selection: [SQLSelection]
    ) throws -> SQLWriter {
        let clause = try conflict.orClause(db.dialect.conflictResolution)
        let verb = clause.isEmpty ? "UPDATE " : "UPDATE\(clause) "
        return try write(db, returning: selection, { $0.write(verb) }) { writer in
            for (index, assignment) in assignments.enumerated() {
                writer.write(index == 0 ? " SET " : ", ")
                try assignment.write(to: &writer)
            }
        }
    }

    /// Writes a statement to change the rows of the query.
    ///
    /// - Parameters:
    ///   - verb: Writes everything before the name of the table.
    ///   - assigning: Writes the assignments; `nil` for a deletion.
    private func write(
        _ db: Database, returning selection: [SQLSelection], _ verb: (inout SQLWriter) -> Void,
        assigning: ((inout SQLWriter) throws -> Void)?
    ) throws -> SQLWriter {
        try table.checkMayBeWritten()
        guard groupFilter == nil || !grouping.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    a request of table \(table.name) with having(_:) cannot be deleted or updated without groups: \
                    use filter(_:), or group by a unique key
                    """)
        }
        var writer = SQLWriter(db)
        let alias = aliases.lazy.compactMap(\.name).first
        // Libraries without upserts do not accept an alias either. RETURNING must precede a limit, and no
        // library accepts both.
        let needsSubquery =
            try hasJoins || !grouping.isEmpty
            || (limit != nil && (!selection.isEmpty || !db.limitsUpdates()))
            || (alias != nil && !db.supports(.upsert))
        if needsSubquery {
            try writeWithSubquery(to: &writer, alias: alias, verb: verb, assigning: assigning)
        } else {
            try inScope(&writer) { writer in
                try writeTableExpressions(to: &writer)
                verb(&writer)
                writeWrittenTable(alias, to: &writer)
                try assigning?(&writer)
                try writeFilter(to: &writer)
                if limit != nil { try writeOrdering(to: &writer) }
                writeLimit(to: &writer)
            }
        }
        var plain = self
        plain.aliases = []
        (plain.joins, plain.nameInJoin) = ([], nil)
        try plain.inScope(&writer) { try writeReturning(selection, to: &$0) }
        return writer
    }

    private func writeWrittenTable(_ alias: String?, to writer: inout SQLWriter) {
        writer.write(identifier: table.name)
        guard let alias else { return }
        // SQLite accepts `AS` here, but not an alias without it.
        writer.write(" AS ")
        writer.write(identifier: alias)
    }

    /// Writes a statement to change the rows with primary keys in a subquery.
    private func writeWithSubquery(
        to writer: inout SQLWriter, alias: String?, verb: (inout SQLWriter) -> Void,
        assigning: ((inout SQLWriter) throws -> Void)?
    ) throws {
        // Only assignments refer to the alias outside of the subquery. Without support for it, the alias
        // denotes the table under its own name.
        let alias = assigning != nil && writer.db.supports(.upsert) ? alias : nil
        let reference = TableReference(
            tableName: table.name, name: alias ?? table.name, isQualified: alias != nil)
        var plain = self
        plain.aliases = []
        (plain.joins, plain.nameInJoin) = ([], nil)
        try plain.inScope(&writer) { writer in
            try writer.with(aliases: aliases.map { ($0, reference) }) { writer in
                try writer.with(table: reference) { writer in
                    try writeTableExpressions(to: &writer)
                    verb(&writer)
                    writeWrittenTable(alias, to: &writer)
                    try assigning?(&writer)
                    writer.write(" WHERE ")
                    try writeMembership(to: &writer)
                }
            }
        }
    }

    /// Writes a condition for the primary key to be in the query.
    private func writeMembership(to writer: inout SQLWriter) throws {
        if !grouping.isEmpty { try checkGroupsAreRows() }
        let columns = try table.primaryKey?.fastPrimaryKeyColumn.map { [$0] } ?? table.primaryKeyColumns()
        let key = SQLExpression.row(columns.map { SQLExpression(.column($0)) })
        var keys = self
        // A limit counts the rows of the request.
        keys.isDistinct = isDistinct && limit != nil
        // The statement already defines them.
        keys.tableExpressions = []
        keys.selection = columns.map { Column($0).sqlSelection }
        keys.joins = joins.map { $0.selectingNothing() }
        try writer.write(key)
        writer.write(" IN (")
        try keys.write(to: &writer)
        writer.write(")")
    }

    /// Checks that each group has one row, so the rows of the query are rows of the table.
    private func checkGroupsAreRows() throws {
        // Further expressions only divide groups.
        let columns = grouping.compactMap(identifyingColumn)
        guard !table.isView, table.hasOneRow(inGroupsBy: columns) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    the groups of a request of table \(table.name) cannot be deleted or updated: group by a \
                    unique key without NULL
                    """)
        }
    }

    /// Returns the column determining the value of an expression, if different values of the column lead to
    /// different values of the expression.
    private func identifyingColumn(_ expression: SQLExpression) -> String? {
        switch expression.node {
        case .column(let name): name
        case .columnOf(let alias, let name): aliases.contains(alias) ? name : nil
        // Row ids are integers.
        case .prefix("-", let operand): identifyingColumn(operand).flatMap { table.isRowID($0) ? $0 : nil }
        default: nil
        }
    }

    private func writeReturning(_ selection: [SQLSelection], to writer: inout SQLWriter) throws {
        guard !selection.isEmpty else { return }
        writer.write(" RETURNING ")
        try writer.write(selection, of: table)
    }
}

extension Database {
    /// Returns whether the library accepts `LIMIT` in updates and deletions.
    fileprivate func limitsUpdates() throws -> Bool {
        guard let query = dialect.limitedChangesQuery else { return false }
        return try withoutRecording { try Bool.fetchOne(leaseStatement(sql: query)) ?? false }
    }
}
