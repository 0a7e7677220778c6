import VigilStorage

/// A type that adapts rows: it selects and renames columns, and defines scopes.
///
/// ```swift
/// let sql = "SELECT 1 AS produced, 'Arthur' AS name, 2 AS teamID"
/// let row = try Row.fetchOne(db, sql: sql, adapter: SuffixRowAdapter(fromIndex: 1))
/// // [name:"Arthur" teamID:2]
/// ```
///
/// The columns are computed once for each statement. Reading a value through an adapter costs one more array
/// access; rows without an adapter do not have this cost.
public protocol RowAdapter: Sendable {
    /// Returns the columns of adapted rows. Do not implement this method: combine existing adapters.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE` if `base` lacks a column that the adapter needs.
    func _layout(from base: RowLayout) throws -> RowLayout
}

extension RowAdapter {
    /// Returns an adapter with the same columns and additional scopes, which replace existing scopes of the
    /// same name.
    public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
        scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
    }
}

/// An adapter that removes all columns.
///
/// ```swift
/// let adapter = ScopeAdapter(base: EmptyRowAdapter(), scopes: ["team": SuffixRowAdapter(fromIndex: 3)])
/// ```
public struct EmptyRowAdapter: RowAdapter {
    /// Creates the adapter.
    public init() {}

    /// Returns a layout without columns.
    public func _layout(from base: RowLayout) throws -> RowLayout { RowLayout(of: base, columns: []) }
}

/// An adapter that selects and renames columns. It keeps their order.
///
/// ```swift
/// // SELECT 1 AS a, 2 AS b, 3 AS c  ->  [id:1 score:3]
/// ColumnMapping(["id": "a", "score": "c"])
/// ```
public struct ColumnMapping: RowAdapter {
    let mapping: [String: String]

    /// Creates an adapter from a mapping of the new names of columns to their current names.
    public init(_ mapping: [String: String]) {
        self.mapping = mapping
    }

    /// Returns the selected columns. Throws `SQLITE_MISUSE` if one does not exist.
    public func _layout(from base: RowLayout) throws -> RowLayout {
        let columns = try mapping.map { name, baseName in
            guard let index = base.index(of: baseName) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message:
                        "cannot map \(name) to the column \(baseName): the row has only \(base.names.joined(separator: ", "))",
                    sql: base.sql)
            }
            return (index: index, name: name)
        }
        return RowLayout(of: base, columns: columns.sorted { ($0.index, $0.name) < ($1.index, $1.name) })
    }
}

/// An adapter that removes the first columns.
///
/// ```swift
/// // SELECT 1 AS a, 2 AS b, 3 AS c  ->  [b:2 c:3]
/// SuffixRowAdapter(fromIndex: 1)
/// ```
public struct SuffixRowAdapter: RowAdapter {
    let index: Int

    /// Creates an adapter that keeps the columns from an index on, which must not be negative.
    public init(fromIndex index: Int) {
        trap(unless: index >= 0, "a column index must not be negative")
        self.index = index
    }

    /// Returns the remaining columns. Throws `SQLITE_MISUSE` if there are fewer than the adapter removes.
    public func _layout(from base: RowLayout) throws -> RowLayout {
        try base.columns(index..<max(index, base.names.count))
    }
}

/// An adapter that selects consecutive columns.
///
/// ```swift
/// // SELECT 1 AS a, 2 AS b, 3 AS c  ->  [a:1 b:2]
/// RangeRowAdapter(0..<2)
/// ```
public struct RangeRowAdapter: RowAdapter {
    let range: CountableRange<Int>

    /// Creates an adapter that selects the columns of a range of indexes, which must not be negative.
    public init(_ range: CountableRange<Int>) {
        trap(unless: range.lowerBound >= 0, "a column index must not be negative")
        self.range = range
    }

    /// Creates an adapter that selects the columns of a closed range of indexes, which must not be negative.
    public init(_ range: CountableClosedRange<Int>) {
        self.init(range.lowerBound..<(range.upperBound + 1))
    }

    /// Returns the selected columns. Throws `SQLITE_MISUSE` if there are fewer.
    public func _layout(from base: RowLayout) throws -> RowLayout { try base.columns(range) }
}

/// An adapter that renames all columns.
///
/// ```swift
/// RenameColumnAdapter { column in column.split(separator: ".").last.map(String.init) ?? column }
/// ```
public struct RenameColumnAdapter: RowAdapter {
    let transform: @Sendable (String) -> String

    /// Creates an adapter from a closure that returns the new name of a column.
    public init(_ transform: @escaping @Sendable (String) -> String) {
        self.transform = transform
    }

    /// Returns the renamed columns.
    public func _layout(from base: RowLayout) throws -> RowLayout {
        RowLayout(
            of: base, columns: base.names.enumerated().map { (index: $0.offset, name: transform($0.element)) }
        )
    }
}

/// An adapter that applies one adapter to the result of another.
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

/// Returns adapters that split a row: one for each of `columnCounts`, from left to right, and one for the
/// remaining columns.
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
                    "the adapter selects the columns \(range.lowerBound)..<\(range.upperBound), but the row has \(names.count)",
                sql: sql)
        }
        return RowLayout(of: self, columns: range.map { (index: $0, name: names[$0]) })
    }
}
