import VigilEngine
import VigilStorage

/// An association of a query: another table to join, or to prefetch rows from.
struct QueryChild: Sendable {
    enum Kind {
        /// A left join.
        case optional
        /// An inner join.
        case required
        /// Rows fetched by another statement.
        case prefetched
        /// The table between the query and prefetched rows. Its own rows are not fetched.
        case bridge

        var isJoined: Bool { self == .optional || self == .required }

        /// Returns the combined kind of two associations with one key; `nil` if they exclude each other.
        func merged(with other: Kind) -> Kind? {
            if self == other { return self }
            return isJoined && other.isJoined ? .required : nil
        }
    }

    var key: String
    var kind: Kind
    /// Whether a row is linked to at most one row.
    var isToOne: Bool
    var condition: AssociationCondition
    var query: Query
    /// Why the query cannot be run; `nil` if it can.
    var conflict: String?

    /// Returns whether both associations use the same key for their rows. Joined rows have scopes, prefetched
    /// rows do not, and a bridge has no rows.
    fileprivate func hasSameName(as other: QueryChild) -> Bool {
        key == other.key && (kind == other.kind || (kind.isJoined && other.kind.isJoined))
    }

    fileprivate func merged(with other: QueryChild) -> QueryChild {
        guard let kind = kind.merged(with: other.kind),
            let condition = condition.merged(with: other.condition),
            let query = query.merged(with: other.query)
        else {
            var ambiguous = other
            ambiguous.conflict =
                "the association key \(key) is ambiguous: distinguish the associations with forKey(_:)"
            return ambiguous
        }
        return QueryChild(
            key: key, kind: kind, isToOne: isToOne && other.isToOne, condition: condition, query: query,
            conflict: conflict ?? other.conflict)
    }

    /// Checks that the association can be joined or prefetched.
    ///
    /// - Throws: `SQLITE_MISUSE` with the name of the association.
    func check() throws {
        if let conflict { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: conflict) }
        guard kind != .prefetched else { return }
        let clause: String? =
            if query.isDistinct {
                "distinct rows"
            } else if query.grouping != nil || !query.groupFilters.isEmpty {
                "groups"
            } else if query.limit != nil {
                "a limit"
            } else {
                nil
            }
        guard let clause else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message:
                "the association \(key) has \(clause) and cannot be joined: use a common table expression")
    }
}

// MARK: - Adding associations

extension Query {
    /// Joins the rows of an association, and selects them.
    mutating func append(_ association: _SQLAssociation, _ kind: QueryChild.Kind) {
        let destination = association.destination
        let isSingular = kind == .bridge ? destination.isToOne : kind.isJoined
        let child = QueryChild(
            key: isSingular ? destination.key.singularName : destination.key.pluralName, kind: kind,
            isToOne: destination.isToOne && destination.condition.isForeignKey,
            condition: destination.condition, query: destination.query)
        guard var previous = association.withoutDestination else { return append(child) }
        previous.destination.query.selection = []
        previous.destination.query.append(child)
        append(previous, kind == .prefetched ? .bridge : kind)
    }

    /// Joins the rows of an association, without selecting them.
    mutating func join(_ association: _SQLAssociation, _ kind: QueryChild.Kind) {
        append(association.with { $0.destination.query.selection = [] }, kind)
    }

    private mutating func append(_ child: QueryChild) {
        guard let index = children.firstIndex(where: { $0.hasSameName(as: child) }) else {
            return children.append(child)
        }
        children.append(children.remove(at: index).merged(with: child))
    }

    /// Returns the query without the columns of its table and of joined tables.
    func selectingNothing() -> Query {
        with { query in
            query.selection = []
            query.isDistinct = false
            query.children = query.children.map { child in
                var child = child
                child.query = child.query.selectingNothing()
                return child
            }
        }
    }

    /// Returns the query without prefetched rows.
    func withoutPrefetches() -> Query {
        with { query in
            query.children = query.children.compactMap { child in
                guard child.kind.isJoined else { return nil }
                var child = child
                child.query = child.query.withoutPrefetches()
                return child
            }
        }
    }

    /// Returns a modified query, with the same change in the queries of its associations.
    func withChildren(_ change: (Query) -> Query) -> Query {
        guard !children.isEmpty else { return self }
        return with { query in
            for index in query.children.indices {
                query.children[index].query = change(query.children[index].query)
            }
        }
    }

    /// Whether the query joins other tables.
    var hasJoins: Bool { !children.isEmpty && children.contains { $0.kind.isJoined } }

    /// The common table expressions of the query, and of its joined tables.
    var allTableExpressions: [TableExpression] {
        guard hasJoins else { return tableExpressions }
        var all = tableExpressions
        for child in children where child.kind.isJoined {
            for expression in child.query.allTableExpressions {
                all.removeAll { $0.name.isSameName(as: expression.name) }
                all.append(expression)
            }
        }
        return all
    }
}

// MARK: - Merging

extension Query {
    /// Returns the combination of two queries of one association; `nil` if they exclude each other.
    fileprivate func merged(with other: Query) -> Query? {
        let names = Set((aliases + other.aliases).compactMap { $0.name?.lowercased() })
        guard table.isSameName(as: other.table), names.count < 2 else { return nil }
        return with { query in
            query.aliases += other.aliases.filter { !aliases.contains($0) }
            query.selection = mergedSelection(with: other)
            query.isDistinct = isDistinct || other.isDistinct
            query.filters += other.filters
            query.grouping = other.grouping ?? grouping
            query.groupFilters += other.groupFilters
            if !other.ordering.isEmpty {
                query.ordering = other.ordering
                query.isReversed = other.isReversed
            }
            query.limit = other.limit ?? limit
            query.tableExpressions.removeAll { expression in
                other.tableExpressions.contains { $0.name.isSameName(as: expression.name) }
            }
            query.tableExpressions += other.tableExpressions
            query.mergeChildren(of: other)
        }
    }

    /// The last non-empty selection replaces the others.
    private func mergedSelection(with other: Query) -> [Deferrable<[SQLSelection]>] {
        if other.selection.isEmpty { return selection }
        if selection.isEmpty { return other.selection }
        let (parts, otherParts) = (selection, other.selection)
        return [
            .deferred { db in
                let selections = try otherParts.flatMap { try $0.resolve(db) }
                return try selections.isEmpty ? parts.flatMap { try $0.resolve(db) } : selections
            }
        ]
    }

    private mutating func mergeChildren(of other: Query) {
        for child in other.children {
            if let index = children.firstIndex(where: { $0.hasSameName(as: child) }) {
                children[index] = children[index].merged(with: child)
            } else {
                children.append(child)
            }
        }
    }
}
