public import VigilEngine
import VigilStorage

/// A column of a table being created or altered.
///
/// Its methods return the column itself, so calls can be chained:
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.column("name", .text).notNull().collate(.nocase)
///     t.column("score", .integer).notNull().defaults(to: 0)
/// }
/// ```
public final class ColumnDefinition {
    /// When the values of a generated column are computed.
    public enum GeneratedColumnQualification: Sendable {
        /// The values are computed when they are read.
        case virtual
        /// The values are computed when the row is written, and stored.
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
    ///   - conflictResolution: how to resolve a conflict with another row. If `nil`, the statement fails.
    ///   - autoincrement: whether row ids of deleted rows are never reused. For `INTEGER` columns only.
    @discardableResult
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil, autoincrement: Bool = false
    ) -> Self {
        primaryKey = (conflictResolution, autoincrement)
        return self
    }

    /// Adds a `NOT NULL` constraint.
    ///
    /// - Parameter conflictResolution: how to resolve a violation. If `nil`, the statement fails.
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        notNullConflictResolution = conflictResolution ?? .abort
        return self
    }

    /// Adds a `UNIQUE` constraint.
    ///
    /// - Parameter conflictResolution: how to resolve a conflict. If `nil`, the statement fails.
    @discardableResult
    public func unique(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        indexing = .unique(conflictResolution)
        return self
    }

    /// Adds an index on the column, named `<table>_on_<column>`.
    ///
    /// Has no effect on a ``unique(onConflict:)`` column, because it already has an index.
    @discardableResult
    public func indexed() -> Self {
        if indexing == nil { indexing = .index }
        return self
    }

    /// Adds a `CHECK` constraint: rows are rejected if the condition is false.
    ///
    /// ```swift
    /// t.column("score", .integer).check { $0 >= 0 }
    /// ```
    @discardableResult
    public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
        checks.append(SQL(elements: [.expression(condition(Column(name)).sqlExpression)]))
        return self
    }

    /// Adds a `CHECK` constraint: rows are rejected if the condition is false.
    ///
    /// ```swift
    /// t.column("score", .integer).check(sql: "score >= 0")
    /// ```
    @discardableResult
    public func check(sql: String) -> Self {
        checks.append(SQL(sql: sql))
        return self
    }

    /// Sets the default value for inserted rows without a value.
    ///
    /// ```swift
    /// t.column("score", .integer).defaults(to: 0)
    /// ```
    @discardableResult
    public func defaults(to value: some DatabaseValueConvertible) -> Self {
        defaultSQL = SQL(elements: [.expression(value.sqlExpression)])
        return self
    }

    /// Sets the default value to a literal, or to an expression in parentheses.
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

    /// Sets the collation for comparing and sorting the text of the column.
    @discardableResult
    public func collate(_ collation: Database.CollationName) -> Self {
        self.collation = collation.rawValue
        return self
    }

    /// Sets the collation for comparing and sorting the text of the column.
    ///
    /// Every connection to the column needs the collation: see `Configuration.prepareDatabase(_:)`.
    @discardableResult
    public func collate(_ collation: DatabaseCollation) -> Self {
        self.collation = collation.name
        return self
    }

    /// Makes the column a generated column, computed from others of the row. Requires SQLite 3.31.
    ///
    /// ```swift
    /// t.column("total", .integer).generatedAs(sql: "score + bonus", .stored)
    /// ```
    @discardableResult
    public func generatedAs(sql: String, _ qualification: GeneratedColumnQualification = .virtual) -> Self {
        generation = (SQL(sql: sql), qualification)
        return self
    }

    /// Makes the column a generated column: its values are computed by an expression. Requires SQLite 3.31.
    @discardableResult
    public func generatedAs(
        _ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual
    ) -> Self {
        generation = (SQL(elements: [.expression(expression.sqlExpression)]), qualification)
        return self
    }

    /// Makes the column a foreign key.
    ///
    /// ```swift
    /// t.column("teamId", .integer).references("team", onDelete: .cascade)
    /// ```
    ///
    /// - Parameters:
    ///   - table: the referenced table. It may be the table being created.
    ///   - column: the referenced column. It must be unique. If `nil`, the primary key.
    ///   - deleteAction: what happens when the referenced row is deleted. If `nil`, the deletion fails.
    ///   - updateAction: what happens when the referenced key changes. If `nil`, the update fails.
    ///   - isDeferred: whether the foreign key is checked at the end of the transaction, not immediately.
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

// A definition is used by one closure on one thread.
@available(*, unavailable)
extension ColumnDefinition: Sendable {}

extension ColumnDefinition {
    /// Returns the definition of the column for `CREATE TABLE`.
    ///
    /// - Parameters:
    ///   - dialect: the dialect of the statement.
    ///   - keyColumns: returns the primary key of a table, or `nil` if the library should look it up.
    func sql(_ dialect: SQLDialect, primaryKey keyColumns: (String) throws -> [String]?) throws -> SQL {
        var sql = SQL(sql: name.quotedDatabaseIdentifier)
        if let type { sql.append(sql: " \(type.sql(dialect))") }
        try appendPrimaryKey(to: &sql, dialect)
        if let notNullConflictResolution {
            let clause = try Optional(notNullConflictResolution).shortConstraintClause(dialect)
            sql.append(sql: " NOT NULL\(clause)")
        }
        if case .unique(let conflictResolution) = indexing {
            sql.append(sql: " UNIQUE\(try conflictResolution.shortConstraintClause(dialect))")
        }
        for check in checks { sql += " CHECK (\(check))" }
        if let defaultSQL { sql += " DEFAULT \(booleanDefault(dialect) ?? defaultSQL)" }
        if let collation { sql.append(sql: " COLLATE \(collation.collationNameSQL(dialect))") }
        for reference in references { sql.append(sql: " " + (try reference.sql(primaryKey: keyColumns))) }
        if let generation {
            sql += " GENERATED ALWAYS AS (\(generation.sql))"
            sql.append(sql: generation.qualification == .stored ? " STORED" : " VIRTUAL")
        }
        return sql
    }

    private func appendPrimaryKey(to sql: inout SQL, _ dialect: SQLDialect) throws {
        guard let primaryKey else { return }
        if type == .integer || primaryKey.isAutoincremented {
            sql.append(sql: dialect.integerKey.beforeConstraint)
        }
        sql.append(sql: " PRIMARY KEY\(try primaryKey.onConflict.constraintClause(dialect))")
        if primaryKey.isAutoincremented { sql.append(sql: dialect.integerKey.neverReused) }
    }

    /// The default value of a Boolean column as a literal; `nil` for other columns and values.
    private func booleanDefault(_ dialect: SQLDialect) -> SQL? {
        guard type == .boolean, let elements = defaultSQL?.elements, elements.count == 1,
            case .expression(let expression) = elements[0],
            case .int64(let value)? = expression.value?.storage,
            value == 0 || value == 1
        else { return nil }
        let literals = dialect.booleanLiterals
        return SQL(sql: value == 1 ? literals.positive : literals.negative)
    }

    /// Throws an error if the definition needs a newer version of the library, or another dialect.
    func requireFeatures(_ db: Database) throws {
        if type == nil { try db.requireInDialect(.untypedColumns) }
        guard let generation else { return }
        try db.require(.generatedColumns)
        if generation.qualification == .virtual { try db.requireInDialect(.virtualColumns) }
    }

    /// Returns the statement to create the index of the column, or `nil` if it is not ``indexed()``.
    func indexStatement(on table: String, options: IndexOptions = []) -> SQL? {
        guard case .index = indexing else { return nil }
        return .createIndex("\(table)_on_\(name)", on: table, columns: [name], options: options)
    }
}
