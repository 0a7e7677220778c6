public import VigilEngine

/// The columns and constraints of a table being created.
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.autoIncrementedPrimaryKey("id")
///     t.belongsTo("team", onDelete: .cascade)
///     t.column("name", .text).notNull()
///     t.column("score", .integer).notNull().defaults(to: 0)
///     t.uniqueKey(["teamId", "name"])
/// }
/// ```
public final class TableDefinition {
    enum Component {
        case column(ColumnDefinition)
        case columnLiteral(SQL)
        case belongsTo(ForeignKeyDefinition)
        case foreignKey(columns: [String], ForeignKeyReference)
    }

    struct Key {
        enum Part {
            case name(String)
            case belongsTo(ForeignKeyDefinition)
        }

        var parts: [Part]
        var conflictResolution: Database.ConflictResolution?
    }

    let name: String
    private(set) var components: [Component] = []
    var primaryKey: Key?
    var uniqueKeys: [Key] = []
    var checks: [SQL] = []
    var constraints: [SQL] = []
    /// The first mistake in the definition, thrown when the table is created.
    private(set) var mistake: String?
    private var isInPrimaryKeyBody = false

    init(name: String) {
        self.name = name
    }

    func add(_ component: Component) { components.append(component) }

    func record(mistake: String) { self.mistake = self.mistake ?? mistake }

    // MARK: - Columns

    /// Adds the column `INTEGER PRIMARY KEY AUTOINCREMENT`: a row id chosen by SQLite, and never reused.
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - conflictResolution: how to resolve a conflict with another row of the same value. If `nil`, the
    ///     statement fails.
    @discardableResult
    public func autoIncrementedPrimaryKey(
        _ name: String, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        column(name, .integer).primaryKey(onConflict: conflictResolution, autoincrement: true)
    }

    /// Adds a primary key column. It rejects `NULL`.
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - type: the type of the column.
    ///   - conflictResolution: how to resolve a conflict with another row of the same value. If `nil`, the
    ///     statement fails.
    @discardableResult
    public func primaryKey(
        _ name: String, _ type: Database.ColumnType,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        let column = column(name, type).primaryKey(onConflict: conflictResolution)
        // A row id is never NULL; SQLite accepts NULL in other primary keys.
        return type == .integer ? column : column.notNull()
    }

    /// Makes the columns added by `body` the primary key. They reject `NULL`.
    ///
    /// ```swift
    /// try db.create(table: "citizenship") { t in
    ///     t.primaryKey {
    ///         t.belongsTo("citizen")
    ///         t.belongsTo("country")
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - conflictResolution: how to resolve a conflict with another row of the same values. If `nil`, the
    ///     statement fails.
    ///   - body: a closure to add the columns.
    /// - Throws: The error of `body`.
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil, body: () throws -> Void
    ) rethrows {
        setPrimaryKey(Key(parts: [], conflictResolution: conflictResolution))
        isInPrimaryKeyBody = true
        defer { isInPrimaryKeyBody = false }
        try body()
    }

    func setPrimaryKey(_ key: Key) {
        if primaryKey != nil { record(mistake: "table \(name) has more than one primary key") }
        primaryKey = key
    }

    /// Adds a column. If `type` is `nil`, values are stored without conversion.
    @discardableResult
    public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        add(.column(column))
        if isInPrimaryKeyBody {
            column.notNull()
            primaryKey?.parts.append(.name(name))
        }
        return column
    }

    /// Adds a column defined in SQL.
    ///
    /// ```swift
    /// t.column(sql: "name TEXT NOT NULL")
    /// ```
    public func column(sql: String) {
        column(literal: SQL(sql: sql))
    }

    /// Adds a column defined in SQL. Interpolated values become literals.
    public func column(literal: SQL) {
        if isInPrimaryKeyBody { record(mistake: "the columns of a primary key cannot be defined in SQL") }
        add(.columnLiteral(literal))
    }

    /// Adds the columns of a foreign key to the primary key of another table, with an index.
    ///
    /// Each column name combines `name` with the name of a primary key column: `team` and `id` make `teamId`.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.belongsTo("team", onDelete: .cascade)    // teamId INTEGER REFERENCES team(id) ON DELETE CASCADE
    ///     t.belongsTo("captain", inTable: "player")  // captainId INTEGER REFERENCES player(id)
    ///     t.belongsTo("country").notNull()           // countryCode TEXT NOT NULL REFERENCES countries(code)
    /// }
    /// ```
    ///
    /// Creating the table throws an error if the other table does not exist.
    ///
    /// - Parameters:
    ///   - name: the name of the relation.
    ///   - table: the referenced table. It may be the table being created. If `nil`, the table with the name
    ///     of the relation, in singular or plural.
    ///   - deleteAction: what happens when the referenced row is deleted. If `nil`, the deletion fails.
    ///   - updateAction: what happens when the referenced key changes. If `nil`, the update fails.
    ///   - isDeferred: whether the foreign key is checked at the end of the transaction instead of
    ///     immediately.
    ///   - indexed: whether the columns are indexed. Columns of a primary key never have a separate index.
    @discardableResult
    public func belongsTo(
        _ name: String, inTable table: String? = nil,
        onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false,
        indexed: Bool = true
    ) -> ForeignKeyDefinition {
        let reference = ForeignKeyReference(
            table: table ?? name, columns: nil, deleteAction: deleteAction, updateAction: updateAction,
            isDeferred: isDeferred)
        let foreignKey = ForeignKeyDefinition(
            name: name, reference: reference, isNamed: table != nil,
            isIndexed: indexed && !isInPrimaryKeyBody)
        add(.belongsTo(foreignKey))
        if isInPrimaryKeyBody {
            foreignKey.notNull()
            primaryKey?.parts.append(.belongsTo(foreignKey))
        }
        return foreignKey
    }
}

// A definition is used by one closure on one thread.
@available(*, unavailable)
extension TableDefinition: Sendable {}
