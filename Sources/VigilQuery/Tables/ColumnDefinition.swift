public import VigilEngine

/// A column of a table that is being created or altered.
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.column("name", .text).notNull().collate(.nocase)
///     t.column("score", .integer).notNull().defaults(to: 0)
/// }
/// ```
public final class ColumnDefinition {
    /// Where the values of a generated column come from.
    public enum GeneratedColumnQualification: Sendable {
        /// They are computed when they are read.
        case virtual
        /// They are computed when the row is written.
        case stored
    }

    enum Indexing {
        case index
        case unique(Database.ConflictResolution?)
    }

    let name: String
    let type: Database.ColumnType?
    private(set) var primaryKey: (onConflict: Database.ConflictResolution?, isAutoincremented: Bool)?
    private(set) var notNullConflictResolution: Database.ConflictResolution?
    private(set) var indexing: Indexing?
    private(set) var checks: [SQL] = []
    private(set) var defaultSQL: SQL?
    private(set) var collation: String?
    private(set) var references: [ForeignKeyReference] = []
    private(set) var generation: (sql: SQL, qualification: GeneratedColumnQualification)?

    init(name: String, type: Database.ColumnType?) {
        self.name = name
        self.type = type
    }

    /// Makes the column the primary key.
    ///
    /// - Parameters:
    ///   - conflictResolution: what happens to rows with the same value; the statement fails if it is `nil`.
    ///   - autoincrement: whether row ids of deleted rows are not used again. For `INTEGER` only.
    @discardableResult
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil, autoincrement: Bool = false
    ) -> Self {
        primaryKey = (conflictResolution, autoincrement)
        return self
    }

    /// Refuses `NULL`.
    ///
    /// - Parameter conflictResolution: what happens otherwise; the statement fails if it is `nil`.
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        notNullConflictResolution = conflictResolution ?? .abort
        return self
    }

    /// Refuses a value that another row has.
    ///
    /// - Parameter conflictResolution: what happens otherwise; the statement fails if it is `nil`.
    @discardableResult
    public func unique(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        indexing = .unique(conflictResolution)
        return self
    }

    /// Adds an index of the column, named `<table>_on_<column>`. A ``unique(onConflict:)`` column has one anyway.
    @discardableResult
    public func indexed() -> Self {
        if indexing == nil { indexing = .index }
        return self
    }

    /// Refuses rows for which a condition is false.
    ///
    /// ```swift
    /// t.column("score", .integer).check(sql: "score >= 0")
    /// ```
    @discardableResult
    public func check(sql: String) -> Self {
        checks.append(SQL(sql: sql))
        return self
    }

    /// Sets the value of rows that are inserted without one.
    @discardableResult
    public func defaults(to value: some DatabaseValueConvertible) -> Self {
        defaultSQL = SQL(elements: [.expression(value.sqlExpression)])
        return self
    }

    /// Sets the value of rows that are inserted without one: a literal, or an expression in parentheses.
    ///
    /// ```swift
    /// t.column("creationDate", .datetime).defaults(sql: "CURRENT_TIMESTAMP")
    /// t.column("token", .blob).defaults(sql: "(randomblob(16))")
    /// ```
    @discardableResult
    public func defaults(sql: String) -> Self {
        defaultSQL = SQL(sql: sql)
        return self
    }

    /// Sets the order of the texts of the column.
    @discardableResult
    public func collate(_ collation: Database.CollationName) -> Self {
        self.collation = collation.rawValue
        return self
    }

    /// Sets the order of the texts of the column. Each connection needs the collation.
    @discardableResult
    public func collate(_ collation: DatabaseCollation) -> Self {
        self.collation = collation.name.quotedDatabaseIdentifier
        return self
    }

    /// Makes the column's values follow from those of other columns.
    ///
    /// ```swift
    /// t.column("total", .integer).generatedAs(sql: "score + bonus", .stored)
    /// ```
    @discardableResult
    public func generatedAs(sql: String, _ qualification: GeneratedColumnQualification = .virtual) -> Self {
        generation = (SQL(sql: sql), qualification)
        return self
    }

    /// Makes the column's values follow from those of other columns.
    @discardableResult
    public func generatedAs(
        _ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual
    ) -> Self {
        generation = (SQL(elements: [.expression(expression.sqlExpression)]), qualification)
        return self
    }

    /// Makes the column refer to a column of another table.
    ///
    /// - Parameters:
    ///   - table: the other table, which can be the one that is being created.
    ///   - column: a column with unique values; the primary key if it is `nil`.
    ///   - deleteAction: what happens when the other row is deleted; that is refused if it is `nil`.
    ///   - updateAction: what happens when the other row's key changes; that is refused if it is `nil`.
    ///   - isDeferred: whether the foreign key is checked at the end of the transaction.
    @discardableResult
    public func references(
        _ table: String, column: String? = nil, onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
    ) -> Self {
        add(
            ForeignKeyReference(
                table: table, columns: column.map { [$0] }, deleteAction: deleteAction,
                updateAction: updateAction, isDeferred: isDeferred))
        return self
    }

    func add(_ reference: ForeignKeyReference) { references.append(reference) }
}

// The definition is built in one closure.
@available(*, unavailable)
extension ColumnDefinition: Sendable {}

extension ColumnDefinition {
    /// The column as it stands in the definition of a table.
    ///
    /// - Parameter primaryKey: the primary key of a table, `nil` if SQLite is to find it.
    func sql(primaryKey keyColumns: (String) throws -> [String]?) throws -> SQL {
        var sql = SQL(sql: name.quotedDatabaseIdentifier)
        if let type { sql.append(sql: " \(type.rawValue)") }
        if let primaryKey {
            sql.append(sql: " PRIMARY KEY\(primaryKey.onConflict.clause)")
            if primaryKey.isAutoincremented { sql.append(sql: " AUTOINCREMENT") }
        }
        if let notNullConflictResolution {
            sql.append(sql: " NOT NULL\(Optional(notNullConflictResolution).shortClause)")
        }
        if case .unique(let conflictResolution) = indexing {
            sql.append(sql: " UNIQUE\(conflictResolution.shortClause)")
        }
        for check in checks { sql += " CHECK (\(check))" }
        if let defaultSQL { sql += " DEFAULT \(defaultSQL)" }
        if let collation { sql.append(sql: " COLLATE \(collation)") }
        for reference in references { sql.append(sql: " " + (try reference.sql(primaryKey: keyColumns))) }
        if let generation {
            sql += " GENERATED ALWAYS AS (\(generation.sql))"
            sql.append(sql: generation.qualification == .stored ? " STORED" : " VIRTUAL")
        }
        return sql
    }

    /// The statement that makes the column's own index, if it wants one.
    func indexStatement(on table: String, options: IndexOptions = []) -> SQL? {
        guard case .index = indexing else { return nil }
        return .createIndex("\(table)_on_\(name)", on: table, columns: [name], options: options)
    }
}
