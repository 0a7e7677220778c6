public import VigilEngine

/// A reference to a table of a request: the superclass of aliases for all types of records.
///
/// ```swift
/// var aliases: [TableAliasBase] = []
/// aliases.append(TableAlias<Player>(name: "p"))
/// aliases.append(TableAlias<Team>())
/// let condition = aliases[0][Column("teamId")] == aliases[1][Column("id")]
/// ```
///
/// Aliases are immutable.
public class TableAliasBase: @unchecked Sendable, Hashable {
    /// The name in SQL; `nil` if the request chooses it.
    let name: String?
    /// The alias with the identity of this one; `nil` for an alias with an identity of its own.
    private let original: TableAliasBase?

    init(name: String?) {
        self.name = name
        original = nil
    }

    /// Creates another alias for the same table.
    init(base: TableAliasBase) {
        name = base.name
        original = base.original ?? base
    }

    private var identity: ObjectIdentifier { ObjectIdentifier(original ?? self) }

    /// Returns whether two aliases stand for the same table of a request.
    public static func == (a: TableAliasBase, b: TableAliasBase) -> Bool { a.identity == b.identity }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

extension TableAliasBase {
    /// Returns a column of the table.
    public subscript(_ column: String) -> SQLExpression { self[Column(column)] }

    /// Returns an expression with the columns of the table.
    public subscript(_ expression: some SQLSpecificExpressible) -> SQLExpression {
        expression.sqlExpression.of(self)
    }

    /// Returns a JSON expression with the columns of the table.
    public subscript(_ expression: some SQLJSONExpressible) -> AnySQLJSONExpressible {
        AnySQLJSONExpressible(json: expression.sqlExpression.of(self))
    }

    /// Returns a selection of the columns of the table.
    @_disfavoredOverload
    public subscript(_ selectable: some SQLSelectable) -> SQLSelection { selectable.sqlSelection.of(self) }

    /// Returns an ordering by the columns of the table.
    @_disfavoredOverload
    public subscript(_ ordering: some SQLOrderingTerm) -> SQLOrdering { ordering.sqlOrdering.of(self) }
}

/// A reference to a table of a request, for expressions of several tables.
///
/// ```swift
/// // Teams with a player who is better than the team's average.
/// let team = TableAlias(for: Team.self)
/// let players = Player.filter(Column("teamId") == team[Column("id")])
/// let better = players.filter(Column("score") > team[Column("average")])
/// let request = Team.aliased(team).filter(better.exists())
/// ```
///
/// Attach an alias to one table with `aliased(_:)`. The SQL refers to the table by the name of the alias, or
/// else by the table's own name. An alias in a subquery of the same table needs a name.
///
/// Aliases are immutable.
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase, @unchecked Sendable {
    /// Creates an alias for a table of any type.
    ///
    /// - Parameter name: The name in SQL; `nil` to let the request choose it.
    public init(name: String? = nil) where RowDecoder == Void {
        super.init(name: name)
    }

    /// Creates an alias for the table of a record type.
    ///
    /// - Parameters:
    ///   - name: The name in SQL; `nil` to let the request choose it.
    ///   - record: The type of the table's records.
    public init(name: String? = nil, for record: RowDecoder.Type = RowDecoder.self) {
        super.init(name: name)
    }

    override init(base: TableAliasBase) {
        super.init(base: base)
    }

    /// Whether the table has a row in a join. It has none if an optional association has no associated row.
    public var exists: SQLExpression { SQLExpression(.rowExists(self, isNegated: false)) }
}

extension TableAlias where RowDecoder: TableRecord {
    /// The type of key paths for columns of the table.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Returns a column of the table, or an expression with its columns.
    public subscript<T: SQLSpecificExpressible>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>)
        -> SQLExpression
    {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// Returns a JSON column of the table, or a JSON expression with its columns.
    public subscript<T: SQLJSONExpressible>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>)
        -> AnySQLJSONExpressible
    {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// Returns a selection of the columns of the table.
    @_disfavoredOverload
    public subscript<T: SQLSelectable>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>) -> SQLSelection
    {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// Returns an ordering by the columns of the table.
    @_disfavoredOverload
    public subscript<T: SQLOrderingTerm>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>) -> SQLOrdering
    {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }
}

// MARK: - Binding expressions to an alias

extension SQLExpression {
    package func of(_ alias: TableAliasBase) -> SQLExpression {
        switch node {
        case .column(let name): SQLExpression(.columnOf(alias, name))
        case .rowKey: SQLExpression(.rowKeyOf(alias))
        case .json(let expression): SQLExpression(.json(expression.of(alias)))
        case nil, .columnOf, .detachedColumn, .rowKeyOf, .countAll: self
        default: SQLExpression(.aliased(self, alias))
        }
    }
}

extension SQLSelection {
    package func of(_ alias: TableAliasBase) -> SQLSelection {
        switch content {
        case .allColumns: SQLSelection(.allColumnsOf(alias))
        case .allColumnsExcluding(let names): SQLSelection(.allColumnsOfExcluding(alias, names))
        case .allColumnsOf, .allColumnsOfExcluding: self
        case .expression(let expression): SQLSelection(.expression(expression.of(alias)))
        case .named(let expression, let name): SQLSelection(.named(expression.of(alias), name))
        case .literal(let sql): SQLSelection(.literal(sql.of(alias)))
        }
    }
}

extension SQLOrdering {
    package func of(_ alias: TableAliasBase) -> SQLOrdering {
        switch content {
        case .expression(let expression, let direction):
            SQLOrdering(.expression(expression.of(alias), direction))
        case .literal(let sql): SQLOrdering(.literal(sql.of(alias)))
        }
    }
}

extension SQL {
    /// Returns the piece with its interpolated columns referring to the aliased table.
    fileprivate func of(_ alias: TableAliasBase) -> SQL {
        SQL(
            elements: elements.map {
                if case .expression(let expression) = $0 { .expression(expression.of(alias)) } else { $0 }
            })
    }
}
