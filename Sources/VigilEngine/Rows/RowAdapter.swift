/// What changes which columns a row has, and how they are called.
///
/// ```swift
/// let sql = "SELECT 1 AS produced, 'Arthur' AS name, 2 AS teamID"
/// let row = try Row.fetchOne(db, sql: sql, adapter: SuffixRowAdapter(fromIndex: 1))
/// // [name:"Arthur" teamID:2]
/// ```
///
/// Adapters are laid out once for a statement; a row that is read through one costs an array access more for each
/// value, and nothing if there is no adapter.
public protocol RowAdapter: Sendable {
    /// The columns that this adapter makes of those of `base`. Not for you to implement: combine the adapters
    /// that there are.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE` if `base` has not the columns that the adapter needs.
    func _layout(from base: RowLayout) throws -> RowLayout
}

extension RowAdapter {
    /// An adapter with the same columns, and with more scopes, which replace those of the same name.
    public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
        scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
    }
}

/// Leaves no column.
public struct EmptyRowAdapter: RowAdapter {
    public init() {}

    public func _layout(from base: RowLayout) throws -> RowLayout { RowLayout(of: base, columns: []) }
}

/// Selects columns, and renames them. The order is that of the row.
///
/// ```swift
/// // SELECT 1 AS a, 2 AS b, 3 AS c  ->  [id:1 score:3]
/// ColumnMapping(["id": "a", "score": "c"])
/// ```
public struct ColumnMapping: RowAdapter {
    let mapping: [String: String]

    /// - Parameter mapping: from the names that the columns are to have, to those that they have.
    public init(_ mapping: [String: String]) {
        self.mapping = mapping
    }

    public func _layout(from base: RowLayout) throws -> RowLayout {
        let columns = try mapping.map { name, baseName in
            guard let index = base.index(of: baseName) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message:
                        "no column \(baseName) to be mapped to \(name): there are \(base.names.joined(separator: ", "))",
                    sql: base.sql)
            }
            return (index: index, name: name)
        }
        return RowLayout(of: base, columns: columns.sorted { ($0.index, $0.name) < ($1.index, $1.name) })
    }
}

/// Leaves out the first columns.
public struct SuffixRowAdapter: RowAdapter {
    let index: Int

    /// - Precondition: `index` is not negative.
    public init(fromIndex index: Int) {
        precondition(index >= 0, "a column index is negative")
        self.index = index
    }

    public func _layout(from base: RowLayout) throws -> RowLayout {
        try base.columns(index..<max(index, base.names.count))
    }
}

/// Selects consecutive columns.
public struct RangeRowAdapter: RowAdapter {
    let range: CountableRange<Int>

    /// - Precondition: the indexes are not negative.
    public init(_ range: CountableRange<Int>) {
        precondition(range.lowerBound >= 0, "a column index is negative")
        self.range = range
    }

    /// - Precondition: the indexes are not negative.
    public init(_ range: CountableClosedRange<Int>) {
        self.init(range.lowerBound..<(range.upperBound + 1))
    }

    public func _layout(from base: RowLayout) throws -> RowLayout { try base.columns(range) }
}

/// Renames all columns.
///
/// ```swift
/// RenameColumnAdapter { column in column.split(separator: ".").last.map(String.init) ?? column }
/// ```
public struct RenameColumnAdapter: RowAdapter {
    let transform: @Sendable (String) -> String

    public init(_ transform: @escaping @Sendable (String) -> String) {
        self.transform = transform
    }

    public func _layout(from base: RowLayout) throws -> RowLayout {
        RowLayout(
            of: base, columns: base.names.enumerated().map { (index: $0.offset, name: transform($0.element)) }
        )
    }
}

/// Adapts what another adapter made.
package struct ChainedAdapter: RowAdapter {
    let first: any RowAdapter
    let second: any RowAdapter

    package init(first: any RowAdapter, second: any RowAdapter) {
        self.first = first
        self.second = second
    }

    package func _layout(from base: RowLayout) throws -> RowLayout {
        try second._layout(from: first._layout(from: base))
    }
}

/// Adapters that split a row: one for each of `columnCounts`, from left to right, and one for the columns that are
/// left.
///
/// ```swift
/// // SELECT 1, 2,3,4, 5,6, 7,8  ->  1 | 2,3,4 | 5,6 | 7,8
/// let adapters = splittingRowAdapters(columnCounts: [1, 3, 2])
/// let adapter = ScopeAdapter(["a": adapters[0], "b": adapters[1], "c": adapters[2], "d": adapters[3]])
/// ```
public func splittingRowAdapters(columnCounts: [Int]) -> [any RowAdapter] {
    var start = 0
    var adapters: [any RowAdapter] = []
    for count in columnCounts {
        adapters.append(RangeRowAdapter(start..<(start + count)))
        start += count
    }
    return adapters + [SuffixRowAdapter(fromIndex: start)]
}

extension RowLayout {
    fileprivate func columns(_ range: Range<Int>) throws -> RowLayout {
        guard range.upperBound <= names.count else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "an adapter wants columns \(range.lowerBound)..<\(range.upperBound), but there are \(names.count)",
                sql: sql)
        }
        return RowLayout(of: self, columns: range.map { (index: $0, name: names[$0]) })
    }
}
