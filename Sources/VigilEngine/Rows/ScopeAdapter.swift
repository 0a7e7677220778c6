/// An adapter that adds scopes to rows: named rows of some of the columns.
///
/// ```swift
/// let adapter = ScopeAdapter([
///     "player": RangeRowAdapter(0..<3),
///     "team": SuffixRowAdapter(fromIndex: 3),
/// ])
/// let row = try Row.fetchOne(db, sql: "SELECT player.*, team.* FROM …", adapter: adapter)
/// row?.scopes["team"]
/// ```
///
/// Scopes select from the columns before adapting, even from those removed by the base adapter.
public struct ScopeAdapter: RowAdapter {
    /// The adapter of the row's own columns; `nil` to keep all columns.
    let base: (any RowAdapter)?
    let scopes: [String: any RowAdapter]

    /// Creates an adapter that keeps all columns, and adds scopes.
    public init(_ scopes: [String: any RowAdapter]) {
        base = nil
        self.scopes = scopes
    }

    /// Creates an adapter that adds scopes to another adapter. They replace existing scopes of the same name.
    public init(base: some RowAdapter, scopes: [String: any RowAdapter]) {
        self.base = base
        self.scopes = scopes
    }

    /// Returns the base adapter's columns, and the scopes. Throws `SQLITE_MISUSE` if a column is missing.
    public func _layout(from base: RowLayout) throws -> RowLayout {
        let own =
            try self.base?._layout(from: base)
            ?? RowLayout(
                of: base, columns: base.names.enumerated().map { (index: $0.offset, name: $0.element) })
        let added = try scopes.map { name, adapter in
            RowLayout.Scope(name: name, layout: try adapter._layout(from: base))
        }
        return own.with(scopes: own.scopes.filter { scopes[$0.name] == nil } + added)
    }
}
