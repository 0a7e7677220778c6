import VigilEngine
import VigilRegions
import VigilStorage

/// The description of a query, as a value: a table, a selection, conditions and so on.
///
/// It is independent of any database. ``ResolvedQuery`` is a query in a database.
package struct Query: Sendable {
    struct Limit: Sendable {
        var count: Int
        var offset: Int?
    }

    /// The name of the table, view or common table expression.
    package var table: String
    /// The parts of the selection, in their order.
    var selection: [Deferrable<[SQLSelection]>]
    /// The conditions on all rows.
    var filters: ShortList<Deferrable<SQLExpression>> = []
    var ordering: ShortList<Deferrable<[SQLOrdering]>> = []
    var limit: Limit?
    var isDistinct = false
    var isReversed = false
    /// The rarely used parts.
    private var rareParts: RareParts?

    private static let allColumns: [Deferrable<[SQLSelection]>] = [.value([SQLSelection(.allColumns)])]

    /// Creates the query of all columns.
    package init(table: String) {
        self.table = table
        selection = Self.allColumns
    }

    package init(table: String, selection: Deferrable<[SQLSelection]>) {
        self.table = table
        self.selection = [selection]
    }

    /// Replaces the order.
    mutating func order(by terms: [any SQLOrderingTerm]) {
        ordering = ShortList(.value(terms.map(\.sqlOrdering)))
        isReversed = false
    }

    consuming func with(_ change: (inout Query) -> Void) -> Query {
        change(&self)
        return self
    }
}

// MARK: - Rare parts

extension Query {
    /// The rarely used parts, in an object, because the methods of requests copy queries (bench:
    /// request-build).
    private final class RareParts: Sendable {
        struct Content {
            var isTableExpression = false
            var aliases: [TableAliasBase] = []
            var grouping: Deferrable<[SQLExpression]>?
            var groupFilters: [Deferrable<SQLExpression>] = []
            var tableExpressions: [TableExpression] = []
            var children: [QueryChild] = []
        }

        static let none = Content()
        let content: Content

        init(_ content: Content) {
            self.content = content
        }
    }

    private var rareContent: RareParts.Content {
        get { rareParts?.content ?? RareParts.none }
        set { rareParts = RareParts(newValue) }
    }

    /// Whether the name denotes a common table expression.
    var isTableExpression: Bool {
        get { rareParts?.content.isTableExpression ?? false }
        set { rareContent.isTableExpression = newValue }
    }

    var aliases: [TableAliasBase] {
        get { rareParts?.content.aliases ?? [] }
        set { rareContent.aliases = newValue }
    }

    var grouping: Deferrable<[SQLExpression]>? {
        get { rareParts?.content.grouping }
        set { rareContent.grouping = newValue }
    }

    /// The conditions on all groups.
    var groupFilters: [Deferrable<SQLExpression>] {
        get { rareParts?.content.groupFilters ?? [] }
        set { rareContent.groupFilters = newValue }
    }

    var tableExpressions: [TableExpression] {
        get { rareParts?.content.tableExpressions ?? [] }
        set { rareContent.tableExpressions = newValue }
    }

    /// The associations, each with a different key or kind.
    var children: [QueryChild] {
        get { rareParts?.content.children ?? [] }
        set { rareContent.children = newValue }
    }

    /// Whether the query is one table without aliases, groups, associations and common table expressions.
    var isPlain: Bool { rareParts == nil }
}

/// A collection with inline storage for the first element.
struct ShortList<Element: Sendable>: Sendable, RandomAccessCollection, ExpressibleByArrayLiteral {
    private var head: Element?
    private var tail: [Element] = []

    init(arrayLiteral elements: Element...) {
        head = elements.first
        tail = Array(elements.dropFirst())
    }

    init(_ element: Element) {
        head = element
    }

    var startIndex: Int { 0 }
    var endIndex: Int { head == nil ? 0 : tail.count + 1 }

    subscript(position: Int) -> Element {
        guard position == 0 else { return tail[position - 1] }
        guard let head else { trap("the list is empty") }
        return head
    }

    mutating func append(_ element: Element) {
        if head == nil { head = element } else { tail.append(element) }
    }

    static func += (list: inout ShortList, others: ShortList) {
        for element in others { list.append(element) }
    }
}

/// A query in a database: its promises are resolved, and the metadata of its table is known.
struct ResolvedQuery {
    var table: QueryTable
    var aliases: [TableAliasBase]
    var selection: [SQLSelection]
    var isDistinct: Bool
    var filter: SQLExpression?
    var grouping: [SQLExpression]
    var groupFilter: SQLExpression?
    var ordering: [SQLOrdering]
    var limit: Query.Limit?
    var tableExpressions: [TableExpression]
    var joins: [ResolvedJoin] = []
    /// The unique name of the table in a query with joins.
    var nameInJoin: String?
    /// The names of result columns other than columns of the table, in a query with joins.
    var resultNames: Set<ColumnName> = []
}

extension Query {
    func resolved(_ db: Database) throws -> ResolvedQuery {
        for child in children { try child.check() }
        guard !hasJoins else { return try resolvedWithJoins(db) }
        let definesNames = isTableExpression || !tableExpressions.isEmpty
        guard definesNames || db.isRecording else { return try resolvedInScope(db) }
        return try withTableExpressions(db) { try db.withoutRecording { try resolvedInScope(db) } }
    }

    private func resolvedWithJoins(_ db: Database) throws -> ResolvedQuery {
        let alias = aliases.first ?? TableAliasBase(name: nil)
        let all = with {
            $0.tableExpressions = allTableExpressions
            if aliases.isEmpty { $0.aliases = [alias] }
        }
        return try all.withTableExpressions(db) {
            try db.withoutRecording {
                var resolved = try all.resolvedInScope(db)
                resolved.joins = try all.resolvedJoins(db, alias, isReversed: isReversed)
                resolved.ordering += resolved.joins.flatMap(\.allOrderings)
                try resolved.nameTables()
                resolved.resultNames = resolved.newResultNames()
                return resolved
            }
        }
    }

    private func resolvedInScope(_ db: Database) throws -> ResolvedQuery {
        try ResolvedQuery(
            table: QueryTable.named(table, db), aliases: aliases, selection: resolvedSelection(db),
            isDistinct: isDistinct, filter: Self.conjunction(of: filters, db),
            grouping: grouping?.resolve(db) ?? [], groupFilter: Self.conjunction(of: groupFilters, db),
            ordering: resolvedOrdering(db), limit: limit, tableExpressions: tableExpressions)
    }

    private func resolvedSelection(_ db: Database) throws -> [SQLSelection] {
        // bench: request-build. A single part is not copied.
        selection.count == 1 ? try selection[0].resolve(db) : try selection.flatMap { try $0.resolve(db) }
    }

    private func resolvedOrdering(_ db: Database) throws -> [SQLOrdering] {
        let terms =
            ordering.count == 1 ? try ordering[0].resolve(db) : try ordering.flatMap { try $0.resolve(db) }
        return isReversed ? try terms.map { try $0.reversed() } : terms
    }

    /// Runs `body` in the scope of the query's common table expressions.
    private func withTableExpressions<T>(_ db: Database, _ body: () throws -> T) rethrows -> T {
        guard isTableExpression || !tableExpressions.isEmpty else { return try body() }
        let isUndefined =
            isTableExpression && !tableExpressions.contains { $0.name.isSameName(as: table) }
        return try db.withTableExpressions(
            tableExpressions, undefinedName: isUndefined ? table : nil, body)
    }

    /// Returns the only column of the primary key of the table to delete from or update.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    func writtenKeyColumn(_ db: Database) throws -> String {
        try withTableExpressions(db) {
            let table = try QueryTable.named(table, db)
            try table.checkMayBeWritten()
            return try table.primaryKeyColumn()
        }
    }

    /// Returns the query without order, also in its joined tables.
    func unordered() -> Query {
        with {
            $0.ordering = []
            $0.isReversed = false
        }.withChildren { $0.unordered() }
    }

    /// Returns the query with a deterministic order, also in its joined tables.
    func withStableOrder() -> Query {
        let table = table
        return with {
            $0.ordering.append(
                .deferred { db in
                    let known = try QueryTable.named(table, db)
                    // A view without a primary key is ordered by all its columns.
                    let columns = try known.primaryKey?.columns ?? known.columns()
                    return columns.map { Column($0).sqlOrdering }
                })
        }.withChildren { $0.withStableOrder() }
    }

    /// Defines a common table expression, replacing any other with the same name.
    mutating func define(_ expression: TableExpression) {
        tableExpressions.removeAll { $0.name.isSameName(as: expression.name) }
        tableExpressions.append(expression)
    }

    private static func conjunction(
        of conditions: some RandomAccessCollection<Deferrable<SQLExpression>>, _ db: Database
    ) throws -> SQLExpression? {
        switch conditions.count {
        case 0: nil
        case 1: try conditions.first?.resolve(db)
        default: .chain(.and, try conditions.map { try $0.resolve(db) })
        }
    }
}
