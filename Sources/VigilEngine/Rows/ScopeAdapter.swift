/// Gives a row scopes: rows of some of its columns, by name.
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
/// All scopes choose from the columns that the adapter is given, not from those that its base leaves.
public struct ScopeAdapter: RowAdapter {
    /// `nil` for all columns.
    let base: (any RowAdapter)?
    let scopes: [String: any RowAdapter]

    /// A row with all its columns, and scopes.
    public init(_ scopes: [String: any RowAdapter]) {
        base = nil
        self.scopes = scopes
    }

    /// A row with the columns and scopes of another adapter, and more scopes, which replace those of the same name.
    public init(base: some RowAdapter, scopes: [String: any RowAdapter]) {
        self.base = base
        self.scopes = scopes
    }

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
