import VigilEngine

// The clauses of requests and associations, each computed when the SQL is generated.
extension Query {
    typealias Computed<Value> = @Sendable (Database) throws -> Value

    /// Replaces the selection.
    mutating func select(_ selection: @escaping Computed<[any SQLSelectable]>) {
        self.selection = [.deferred { try $0.counted(selection).map(\.sqlSelection) }]
    }

    mutating func annotate(with selection: @escaping Computed<[any SQLSelectable]>) {
        self.selection.append(.deferred { try $0.counted(selection).map(\.sqlSelection) })
    }

    mutating func filter(_ predicate: @escaping Computed<any SQLExpressible>) {
        filters.append(.deferred { try $0.counted(predicate).sqlExpression })
    }

    /// Replaces the order.
    mutating func order(_ orderings: @escaping Computed<[any SQLOrderingTerm]>) {
        ordering = [.deferred { try $0.counted(orderings).map(\.sqlOrdering) }]
        isReversed = false
    }

    /// Replaces the groups.
    mutating func group(_ expressions: @escaping Computed<[any SQLExpressible]>) {
        grouping = .deferred { try $0.counted(expressions).map(\.sqlExpression) }
    }

    /// Adds a condition on all groups.
    mutating func having(_ predicate: @escaping Computed<any SQLExpressible>) {
        groupFilters.append(.deferred { try $0.counted(predicate).sqlExpression })
    }
}

extension Database {
    /// Calls a closure that the app may have given to a request.
    fileprivate func counted<Value>(_ computed: Query.Computed<Value>) throws -> Value {
        appSQLCount += 1
        return try computed(self)
    }

    /// Handles that the called closure belongs to Vigil: only the schema can change its result.
    func didNotCallApp() { appSQLCount -= 1 }
}
