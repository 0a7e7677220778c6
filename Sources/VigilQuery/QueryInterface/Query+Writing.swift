import VigilEngine
import VigilStorage

// Statements that delete or update the rows of a query.
extension Query {
    /// Deletes the rows, and returns their number.
    func deleteAll(_ db: Database) throws -> Int {
        let resolved = try resolved(db)
        let statement = try resolved.deletion(db, returning: []).makeStatement()
        return try resolved.table.countChanges(db) { try statement.execute() }
    }

    /// Returns a statement that deletes the rows and returns their columns.
    ///
    /// - Throws: `DatabaseError` if the library has no `RETURNING` clause.
    func deletion(_ db: Database, returning selection: [SQLSelection]) throws -> Statement {
        try db.require(.returning)
        return try resolved(db).deletion(db, returning: selection).makeStatement()
    }

    /// Updates the rows, and returns their number. Without assignments, it does nothing and returns 0.
    func updateAll(
        _ db: Database, _ conflict: Database.ConflictResolution, _ assignments: [ColumnAssignment]
    ) throws -> Int {
        guard !assignments.isEmpty else { return 0 }
        let resolved = try resolved(db)
        let statement = try resolved.update(db, conflict, assignments, returning: []).makeStatement()
        return try resolved.table.countChanges(db) { try statement.execute() }
    }

    /// Returns a statement that updates the rows and returns their columns.
    ///
    /// - Throws: `DatabaseError` if nothing is assigned, or if the library has no `RETURNING` clause.
    func update(
        _ db: Database, _ conflict: Database.ConflictResolution, _ assignments: [ColumnAssignment],
        returning selection: [SQLSelection]
    ) throws -> Statement {
        try db.require(.returning)
        guard !assignments.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "an update of table \(table) assigns nothing")
        }
        return try resolved(db).update(db, conflict, assignments, returning: selection).makeStatement()
    }
}

extension QueryTable {
    /// Runs a statement that writes the table, and returns the number of rows that it changed.
    func countChanges(_ db: Database, _ run: () throws -> Void) throws -> Int {
        // `changesCount` does not include the changes of triggers, which are all changes of a view.
        let total = db.totalChangesCount
        try run()
        return isView ? db.totalChangesCount - total : db.changesCount
    }
}

extension ResolvedQuery {

    fileprivate func deletion(_ db: Database, returning selection: [SQLSelection]) throws -> SQLWriter {
        try write(db, returning: selection) {
            $0.write("DELETE FROM ")
        } assigning: { _ in
        }
    }

    fileprivate func update(
        _ db: Database, _ conflict: Database.ConflictResolution, _ assignments: [ColumnAssignment],
        returning selection: [SQLSelection]
    ) throws -> SQLWriter {
        try write(db, returning: selection) {
            $0.write(conflict == .abort ? "UPDATE " : "UPDATE OR \(conflict.rawValue) ")
        } assigning: { writer in
            for (index, assignment) in assignments.enumerated() {
                writer.write(index == 0 ? " SET " : ", ")
                try assignment.write(to: &writer)
            }
        }
    }

    /// Writes a statement that changes the rows of the query.
    ///
    /// - Parameters:
    ///   - verb: Writes what precedes the name of the table.
    ///   - assigning: Writes what follows it.
    private func write(
        _ db: Database, returning selection: [SQLSelection], _ verb: (inout SQLWriter) -> Void,
        assigning: (inout SQLWriter) throws -> Void
    ) throws -> SQLWriter {
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
        // Libraries without upserts do not accept an alias either.
        let needsSubquery =
            try !grouping.isEmpty || (limit != nil && !db.limitsUpdates())
            || (alias != nil && !db.supports(.upsert))
        if needsSubquery {
            var whole = self
            whole.aliases = []
            whole.tableExpressions = []
            try whole.inScope(&writer) { writer in
                verb(&writer)
                whole.writeTable(to: &writer)
                try assigning(&writer)
                writer.write(" WHERE ")
                try writeMembership(to: &writer)
                try writeReturning(selection, to: &writer)
            }
        } else {
            try inScope(&writer) { writer in
                try writeTableExpressions(to: &writer)
                verb(&writer)
                // SQLite accepts `AS` here, but not an alias without it.
                writer.write(identifier: table.name)
                if let alias {
                    writer.write(" AS ")
                    writer.write(identifier: alias)
                }
                try assigning(&writer)
                try writeFilter(to: &writer)
                if limit != nil { try writeOrdering(to: &writer) }
                writeLimit(to: &writer)
            }
            var plain = self
            plain.aliases = []
            try plain.inScope(&writer) { try writeReturning(selection, to: &$0) }
        }
        return writer
    }

    /// Writes the condition that the primary key is among those of the query.
    private func writeMembership(to writer: inout SQLWriter) throws {
        if !grouping.isEmpty { try checkGroupsAreRows() }
        let columns = try table.primaryKey?.fastPrimaryKeyColumn.map { [$0] } ?? table.primaryKeyColumns()
        let key = SQLExpression.row(columns.map { SQLExpression(.column($0)) })
        var keys = self
        keys.isDistinct = false
        keys.selection = columns.map { Column($0).sqlSelection }
        try writer.write(key)
        writer.write(" IN (")
        try keys.write(to: &writer)
        writer.write(")")
    }

    /// Checks that each group is one row, so that the rows of the query are rows of the table.
    private func checkGroupsAreRows() throws {
        let columns = grouping.compactMap { expression -> String? in
            switch expression.node {
            case .column(let name): name
            case .columnOf(let alias, let name): aliases.contains(alias) ? name : nil
            default: nil
            }
        }
        guard columns.count == grouping.count, !table.isView, table.uniqueKey(among: columns) != nil else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    the groups of a request of table \(table.name) cannot be deleted or updated: group by a \
                    unique key
                    """)
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
        try withoutRecording {
            let statement = try cachedStatement(
                sql: "SELECT sqlite_compileoption_used('ENABLE_UPDATE_DELETE_LIMIT')")
            return try Bool.fetchOne(statement) ?? false
        }
    }
}
