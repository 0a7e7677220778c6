extension Row {
    /// The rows that the scopes of an adapter make of this row, by their names.
    ///
    /// ```swift
    /// let adapter = ScopeAdapter(["team": SuffixRowAdapter(fromIndex: 2)])
    /// let row = try Row.fetchOne(db, sql: "SELECT player.*, team.* FROM …", adapter: adapter)
    /// let team = row?.scopes["team"]
    /// ```
    public var scopes: ScopesView { ScopesView(row: self) }

    /// The same with the scopes of the scopes, and so on.
    public var scopesTree: ScopesTreeView { ScopesTreeView(row: self) }

    /// The same columns without scopes and prefetched rows.
    public var unscoped: Row {
        layout.scopes.isEmpty && prefetchedRows.isEmpty ? self : Row(self, layout: layout.with(scopes: []))
    }

    /// The row as the statement returned it.
    public var unadapted: Row {
        layout === layout.unadapted ? self : Row(self, layout: layout.unadapted)
    }

    /// The scopes of a row.
    public struct ScopesView: RandomAccessCollection {
        fileprivate let row: Row

        /// The names of the scopes.
        public var names: Set<String> { Set(row.layout.scopes.map(\.name)) }

        /// The row of a scope; `nil` if there is none of that name.
        public subscript(_ name: String) -> Row? {
            row.layout.scopes.firstIndex { $0.name == name }.map { self[$0].row }
        }

        public var startIndex: Int { 0 }
        public var endIndex: Int { row.layout.scopes.count }

        /// The scopes in the order of their names.
        public subscript(position: Int) -> (name: String, row: Row) {
            let scope = row.layout.scopes[position]
            let scoped = Row(row, layout: scope.layout)
            if let rows = row.prefetchedRows.inner(scope.name) { scoped.prefetchedRows = rows }
            return (scope.name, scoped)
        }
    }

    /// The scopes of a row, and those inside of them.
    public struct ScopesTreeView {
        fileprivate let row: Row

        /// The names of all scopes.
        public var names: Set<String> {
            row.scopes.reduce(into: []) { names, scope in
                names.insert(scope.name)
                names.formUnion(scope.row.scopesTree.names)
            }
        }

        /// The row of the scope of that name that is the least deep; `nil` if there is none.
        public subscript(_ name: String) -> Row? {
            var level = Array(row.scopes)
            while !level.isEmpty {
                if let scope = level.first(where: { $0.name == name }) { return scope.row }
                level = level.flatMap { Array($0.row.scopes) }
            }
            return nil
        }
    }
}
