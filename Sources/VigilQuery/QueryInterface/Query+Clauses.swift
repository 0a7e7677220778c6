import VigilEngine

// The clauses of requests and associations, each computed when the SQL is generated.
extension Query {
    typealias Computed<Value> = @Sendable (Database) throws -> Value

    /// Replaces the selection.
    mutating func select(_ selection: @escaping Computed<[any SQLSelectable]>) {
        self.selection = [.deferred { try selection($0).map(\.sqlSelection) }]
    }

    mutating func annotate(with selection: @escaping Computed<[any SQLSelectable]>) {
        self.selection.append(.deferred { try selection($0).map(\.sqlSelection) })
    }

    mutating func filter(_ predicate: @escaping Computed<any SQLExpressible>) {
        filters.append(.deferred { try predicate($0).sqlExpression })
    }

    /// Replaces the order.
    mutating func order(_ orderings: @escaping Computed<[any SQLOrderingTerm]>) {
        ordering = [.deferred { try orderings($0).map(\.sqlOrdering) }]
        isReversed = false
    }

    /// Replaces the groups.
    mutating func group(_ expressions: @escaping Computed<[any SQLExpressible]>) {
        grouping = .deferred { try expressions($0).map(\.sqlExpression) }
    }

    /// Adds a condition on all groups.
    mutating func having(_ predicate: @escaping Computed<any SQLExpressible>) {
        groupFilters.append(.deferred { try predicate($0).sqlExpression })
    }
}
