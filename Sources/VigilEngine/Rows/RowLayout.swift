import VigilStorage

/// The columns of rows: their names, and the positions of their values. Opaque: adapters derive one layout
/// from another.
///
/// A layout is created once for each statement, or for each pair of a statement and an adapter, and is shared
/// by all its rows.
public final class RowLayout: Sendable {
    /// A named selection of columns, in addition to the columns of the row.
    struct Scope: Sendable {
        let name: String
        let layout: RowLayout
    }

    /// The names of the columns, from left to right.
    let names: [String]
    /// For each column, the index of its value in the row of the statement; `nil` if the indexes are equal.
    let positions: [Int]?
    /// The scopes, sorted by name.
    let scopes: [Scope]
    /// The SQL of the statement, for errors.
    let sql: String?
    /// Whether errors may contain values: ``Configuration/publicStatementArguments``.
    let showsValues: Bool
    /// The number of values in the row of the statement.
    let cellCount: Int
    private let base: RowLayout?
    /// For each name, a hash that ignores case, so that most comparisons fail immediately.
    private let marks: [UInt32]
    /// All names in lower case, concatenated.
    private let letters: [UInt8]
    /// The end of each name in ``letters``, after a leading zero for the start of the first name.
    private let ends: [Int]

    private init(
        names: [String], positions: [Int]?, scopes: [Scope], sql: String?, showsValues: Bool, base: RowLayout?
    ) {
        self.names = names
        self.positions = positions
        self.scopes = scopes
        self.sql = sql
        self.showsValues = showsValues
        self.base = base
        cellCount = base?.cellCount ?? names.count
        marks = names.map { Array($0.utf8).withUnsafeBufferPointer(Self.mark) }
        letters = names.flatMap { $0.utf8.map(\.asciiLowercased) }
        var ends = [0]
        for name in names { ends.append(ends[ends.count - 1] + name.utf8.count) }
        self.ends = ends
    }

    /// Creates the layout of a statement.
    convenience init(names: [String], sql: String? = nil, showsValues: Bool = false) {
        self.init(
            names: names, positions: nil, scopes: [], sql: sql, showsValues: showsValues, base: nil)
    }

    /// Creates a layout of some columns of another layout, possibly with other names.
    convenience init(of base: RowLayout, columns: [(index: Int, name: String)]) {
        self.init(
            names: columns.map(\.name), positions: columns.map { base.position(of: $0.index) }, scopes: [],
            sql: base.sql, showsValues: base.showsValues, base: base.unadapted)
    }

    func with(scopes: [Scope]) -> RowLayout {
        RowLayout(
            names: names, positions: positions, scopes: scopes.sorted { $0.name < $1.name }, sql: sql,
            showsValues: showsValues, base: base)
    }

    var unadapted: RowLayout { base ?? self }

    /// Returns whether rows of another layout can stand for rows of this one.
    func isIdentical(to other: RowLayout) -> Bool {
        self === other
            || names.isIdentical(to: other.names) && sql == other.sql && showsValues == other.showsValues
                && base == nil && other.base == nil && scopes.isEmpty && other.scopes.isEmpty
    }

    /// Returns the index of a column's value in the row of the statement.
    func position(of index: Int) -> Int { positions?[index] ?? index }

    // MARK: - Names

    /// Returns the index of the leftmost column of the given name, regardless of the case of ASCII letters.
    func index(of name: String) -> Int? {
        // Native Swift strings have contiguous storage, so this allocates nothing.
        let index =
            name.utf8.withContiguousStorageIfAvailable { find($0) }
            ?? Array(name.utf8).withUnsafeBufferPointer { find($0) }
        return index < 0 ? nil : index
    }

    /// Returns the index of the leftmost column of the given name, or -1 without such a column.
    private func find(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        let mark = Self.mark(name)
        for index in 0..<marks.count where marks[index] == mark && isName(index, name) { return index }
        return -1
    }

    /// Returns whether a column has the given name. The caller has checked that their marks are equal.
    private func isName(_ index: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = ends[index]
        guard ends[index + 1] - start == name.count else { return false }
        for place in 0..<name.count where letters[start + place] != name[place] {
            if letters[start + place] != name[place].asciiLowercased { return false }
        }
        return true
    }

    /// Returns a hash of the length and of three characters, ignoring case.
    private static func mark(_ name: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let count = name.count
        guard count > 0 else { return 0 }
        let letters =
            UInt32(name[0]) << 16 | UInt32(name[count / 2]) << 8 | UInt32(name[count - 1])
        return UInt32(truncatingIfNeeded: count) << 24 | letters | 0x20_2020
    }
}
