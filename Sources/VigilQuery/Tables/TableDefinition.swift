public import VigilEngine

/// The columns and constraints of a table that is being created.
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
    /// The first thing that cannot be, for the table's creation to throw.
    private(set) var mistake: String?
    private var isInPrimaryKeyBody = false

    init(name: String) {
        self.name = name
    }

    func add(_ component: Component) { components.append(component) }

    func note(mistake: String) { self.mistake = self.mistake ?? mistake }

    // MARK: - Columns

    /// Adds the column `INTEGER PRIMARY KEY AUTOINCREMENT`: a row id that SQLite chooses, and never chooses again.
    ///
    /// - Parameter conflictResolution: what happens to rows with the same value; the statement fails if it is `nil`.
    @discardableResult
    public func autoIncrementedPrimaryKey(
        _ name: String, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        column(name, .integer).primaryKey(onConflict: conflictResolution, autoincrement: true)
    }

    /// Adds a column that is the primary key, and not `NULL`.
    ///
    /// - Parameter conflictResolution: what happens to rows with the same value; the statement fails if it is `nil`.
    @discardableResult
    public func primaryKey(
        _ name: String, _ type: Database.ColumnType,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        let column = column(name, type).primaryKey(onConflict: conflictResolution)
        // A row id is not NULL anyway; in other primary keys, SQLite lets NULL pass.
        return type == .integer ? column : column.notNull()
    }

    /// Makes the columns that `body` adds the primary key, and not `NULL`.
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
    /// - Parameter conflictResolution: what happens to rows with the same values; the statement fails if it is `nil`.
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil, body: () throws -> Void
    ) rethrows {
        setPrimaryKey(Key(parts: [], conflictResolution: conflictResolution))
        isInPrimaryKeyBody = true
        defer { isInPrimaryKeyBody = false }
        try body()
    }

    func setPrimaryKey(_ key: Key) {
        if primaryKey != nil { note(mistake: "table \(name) has more than one primary key") }
        primaryKey = key
    }

    /// Adds a column.
    ///
    /// - Parameter type: the type; a column without a type takes values as they are.
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

    /// Adds a column as SQL defines it.
    ///
    /// ```swift
    /// t.column(sql: "name TEXT NOT NULL")
    /// ```
    public func column(sql: String) {
        column(literal: SQL(sql: sql))
    }

    /// Adds a column as SQL defines it. Values are written into it.
    ///
    /// ```swift
    /// t.column(literal: "name TEXT DEFAULT \(name)")
    /// ```
    public func column(literal: SQL) {
        if isInPrimaryKeyBody { note(mistake: "columns of a primary key cannot be written in SQL") }
        add(.columnLiteral(literal))
    }

    /// Adds the columns that refer to the primary key of another table, with an index.
    ///
    /// Their names are made of the name given here and of those of the other table's primary key: `teamId` for `id`.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.belongsTo("team", onDelete: .cascade)       // teamId INTEGER REFERENCES team(id) ON DELETE CASCADE
    ///     t.belongsTo("captain", inTable: "player")     // captainId INTEGER REFERENCES player(id)
    ///     t.belongsTo("country").notNull()              // countryCode TEXT NOT NULL REFERENCES countries(code)
    /// }
    /// ```
    ///
    /// The creation of the table throws if the other table does not exist.
    ///
    /// - Parameters:
    ///   - name: the name of the relation.
    ///   - table: the other table, which can be the one that is being created. Without it, the one with the name of
    ///     the relation, or with its plural.
    ///   - deleteAction: what happens when the other row is deleted; that is refused if it is `nil`.
    ///   - updateAction: what happens when the other row's key changes; that is refused if it is `nil`.
    ///   - isDeferred: whether the foreign key is checked at the end of the transaction.
    ///   - indexed: whether there is an index. Columns of a primary key never get one of their own.
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

// The definition is built in one closure.
@available(*, unavailable)
extension TableDefinition: Sendable {}
