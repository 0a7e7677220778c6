public import VigilEngine

extension TableDefinition {
    /// Makes columns the primary key.
    ///
    /// In a table with row ids, the columns accept `NULL` unless they are defined with
    /// ``ColumnDefinition/notNull(onConflict:)``.
    ///
    /// - Parameters:
    ///   - columns: the names of the columns.
    ///   - conflictResolution: how to resolve a conflict with another row of the same values. If `nil`, the
    ///     statement fails.
    public func primaryKey(
        _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        setPrimaryKey(Key(parts: columns.map { .name($0) }, conflictResolution: conflictResolution))
    }

    /// Adds a `UNIQUE` constraint on columns.
    ///
    /// - Parameters:
    ///   - columns: the names of the columns.
    ///   - conflictResolution: how to resolve a conflict with another row of the same values. If `nil`, the
    ///     statement fails.
    public func uniqueKey(
        _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        uniqueKeys.append(Key(parts: columns.map { .name($0) }, conflictResolution: conflictResolution))
    }

    /// Makes columns a foreign key.
    ///
    /// ```swift
    /// t.foreignKey(["teamCountry", "teamName"], references: "team", columns: ["country", "name"])
    /// ```
    ///
    /// - Parameters:
    ///   - columns: columns of this table.
    ///   - table: the referenced table. It may be the table being created.
    ///   - destinationColumns: the referenced columns. They must be unique together. If `nil`, the primary
    ///     key.
    ///   - deleteAction: what happens when the referenced row is deleted. If `nil`, the deletion fails.
    ///   - updateAction: what happens when the referenced key changes. If `nil`, the update fails.
    ///   - isDeferred: whether the foreign key is checked at the end of the transaction instead of
    ///     immediately.
    public func foreignKey(
        _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
        onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
    ) {
        let reference = ForeignKeyReference(
            table: table, columns: destinationColumns, deleteAction: deleteAction,
            updateAction: updateAction, isDeferred: isDeferred)
        add(.foreignKey(columns: columns, reference))
    }

    /// Adds a `CHECK` constraint: rows are rejected if the condition is false.
    ///
    /// ```swift
    /// t.check("minimum <= maximum AND maximum < \(limit)" as SQL)
    /// ```
    public func check(_ condition: some SQLSpecificExpressible) {
        checks.append(SQL(condition))
    }

    /// Adds a `CHECK` constraint with a constant value. A string is a value too, and not SQL.
    @available(*, deprecated, message: "the condition is a constant value: use check(sql:) for SQL")
    public func check(_ condition: some SQLExpressible) {
        checks.append(SQL(elements: [.expression(condition.sqlExpression)]))
    }

    /// Adds a `CHECK` constraint: rows are rejected if the condition is false.
    ///
    /// ```swift
    /// t.check(sql: "minimum <= maximum")
    /// ```
    public func check(sql: String) {
        checks.append(SQL(sql: sql))
    }

    /// Adds a constraint defined in SQL.
    ///
    /// ```swift
    /// t.constraint(sql: "CONSTRAINT range CHECK (minimum <= maximum)")
    /// ```
    public func constraint(sql: String) {
        constraints.append(SQL(sql: sql))
    }

    /// Adds a constraint defined in SQL. Interpolated values become literals.
    public func constraint(literal: SQL) {
        constraints.append(literal)
    }
}
