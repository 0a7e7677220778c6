public import VigilEngine

extension TableDefinition {
    /// Makes columns the primary key. Those that must not be `NULL` have to say so.
    ///
    /// - Parameter conflictResolution: what happens to rows with the same values; the statement fails if it is `nil`.
    public func primaryKey(
        _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        setPrimaryKey(Key(parts: columns.map { .name($0) }, conflictResolution: conflictResolution))
    }

    /// Refuses rows that have the same values in some columns.
    ///
    /// - Parameter conflictResolution: what happens otherwise; the statement fails if it is `nil`.
    public func uniqueKey(
        _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        uniqueKeys.append(Key(parts: columns.map { .name($0) }, conflictResolution: conflictResolution))
    }

    /// Makes columns refer to those of another table.
    ///
    /// - Parameters:
    ///   - columns: columns of this table.
    ///   - table: the other table, which can be the one that is being created.
    ///   - destinationColumns: as many columns that are unique together; the primary key if it is `nil`.
    ///   - deleteAction: what happens when the other row is deleted; that is refused if it is `nil`.
    ///   - updateAction: what happens when the other row's key changes; that is refused if it is `nil`.
    ///   - isDeferred: whether the foreign key is checked at the end of the transaction.
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

    /// Refuses rows for which a condition is false.
    ///
    /// ```swift
    /// t.check("minimum <= maximum AND maximum < \(limit)" as SQL)
    /// ```
    public func check(_ condition: some SQLSpecificExpressible) {
        checks.append(SQL(condition))
    }

    /// Refuses rows for which a condition is false.
    public func check(sql: String) {
        checks.append(SQL(sql: sql))
    }

    /// Adds a constraint as SQL defines it.
    ///
    /// ```swift
    /// t.constraint(sql: "CONSTRAINT range CHECK (minimum <= maximum)")
    /// ```
    public func constraint(sql: String) {
        constraints.append(SQL(sql: sql))
    }

    /// Adds a constraint as SQL defines it. Values are written into it.
    public func constraint(literal: SQL) {
        constraints.append(literal)
    }
}
