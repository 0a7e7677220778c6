extension Row {
    /// The scopes that an adapter defined: rows of some of the columns, by name.
    ///
    /// ```swift
    /// let adapter = ScopeAdapter(["team": SuffixRowAdapter(fromIndex: 2)])
    /// let row = try Row.fetchOne(db, sql: "SELECT player.*, team.* FROM …", adapter: adapter)
    /// let team = row?.scopes["team"]
    /// ```
    public var scopes: ScopesView { ScopesView(row: self) }

    /// The scopes of the row, including the scopes of scopes at any depth.
    public var scopesTree: ScopesTreeView { ScopesTreeView(row: self) }

    /// The row without its scopes and prefetched rows.
    public var unscoped: Row {
        layout.scopes.isEmpty && prefetchedRows.isEmpty ? self : Row(self, layout: layout.with(scopes: []))
    }

    /// The row as the statement returned it, before it was adapted.
    public var unadapted: Row {
        layout === layout.unadapted ? self : Row(self, layout: layout.unadapted)
    }

    /// The scopes of a row, sorted by name.
    public struct ScopesView: RandomAccessCollection {
        fileprivate let row: Row

        /// The names of the scopes.
        public var names: Set<String> { Set(row.layout.scopes.map(\.name)) }

        /// The row of the scope with the given name; `nil` for an unknown name.
        public subscript(_ name: String) -> Row? {
            row.layout.scopes.firstIndex { $0.name == name }.map { self[$0].row }
        }

        /// The position of the first scope.
        public var startIndex: Int { 0 }
        /// The position after the last scope.
        public var endIndex: Int { row.layout.scopes.count }

        /// The name and the row of the scope at a position.
        public subscript(position: Int) -> (name: String, row: Row) {
            let scope = row.layout.scopes[position]
            let scoped = Row(row, layout: scope.layout)
            if let rows = row.prefetchedRows.inner(scope.name) { scoped.prefetchedRows = rows }
            return (scope.name, scoped)
        }
    }

    /// The scopes of a row, including the scopes of scopes at any depth.
    public struct ScopesTreeView {
        fileprivate let row: Row

        /// The names of all scopes.
        public var names: Set<String> {
            row.scopes.reduce(into: []) { names, scope in
                names.insert(scope.name)
                names.formUnion(scope.row.scopesTree.names)
            }
        }

        /// The row of the scope with the given name. If several have it, the least nested one; `nil` for an
        /// unknown name.
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
