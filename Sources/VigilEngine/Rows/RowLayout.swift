import VigilStorage

/// The columns of rows: how they are called, and where their values are. Opaque: adapters make one of another.
///
/// Made once for a statement, or for a statement and an adapter, and shared by all its rows.
public final class RowLayout: Sendable {
    /// The columns of another name that an adapted row has beside its own.
    struct Scope: Sendable {
        let name: String
        let layout: RowLayout
    }

    /// The names of the columns, from left to right.
    let names: [String]
    /// For each column, the index of its value in the row of the statement; `nil` if that is the same.
    let positions: [Int]?
    /// Sorted by name.
    let scopes: [Scope]
    /// The statement, for errors.
    let sql: String?
    private let base: RowLayout?
    /// For each name what two spellings of it have in common, so that most names are told apart at once.
    private let marks: [UInt32]
    /// All names, folded, one after the other.
    private let letters: [UInt8]
    /// Where each name ends in ``letters``; before them a zero, where the first begins.
    private let ends: [Int]

    private init(names: [String], positions: [Int]?, scopes: [Scope], sql: String?, base: RowLayout?) {
        self.names = names
        self.positions = positions
        self.scopes = scopes
        self.sql = sql
        self.base = base
        marks = names.map { Array($0.utf8).withUnsafeBufferPointer(Self.mark) }
        letters = names.flatMap { $0.utf8.map(\.asciiLowercased) }
        var ends = [0]
        for name in names { ends.append(ends[ends.count - 1] + name.utf8.count) }
        self.ends = ends
    }

    /// The columns of a statement.
    convenience init(names: [String], sql: String? = nil) {
        self.init(names: names, positions: nil, scopes: [], sql: sql, base: nil)
    }

    /// Some columns of another layout, which may have other names there.
    convenience init(of base: RowLayout, columns: [(index: Int, name: String)]) {
        self.init(
            names: columns.map(\.name), positions: columns.map { base.position(of: $0.index) }, scopes: [],
            sql: base.sql, base: base.unadapted)
    }

    /// The same columns, with other scopes.
    func with(scopes: [Scope]) -> RowLayout {
        RowLayout(
            names: names, positions: positions, scopes: scopes.sorted { $0.name < $1.name }, sql: sql,
            base: base)
    }

    /// The columns of the statement.
    var unadapted: RowLayout { base ?? self }

    /// Where the value of a column is in the row of the statement.
    func position(of index: Int) -> Int { positions?[index] ?? index }

    // MARK: - Names

    /// The leftmost column of a name, whatever the case of its ASCII letters.
    func index(of name: String) -> Int? {
        // Strings of Swift are contiguous, so that nothing is allocated here.
        let index =
            name.utf8.withContiguousStorageIfAvailable { find($0) }
            ?? Array(name.utf8).withUnsafeBufferPointer { find($0) }
        return index < 0 ? nil : index
    }

    /// -1 if there is none.
    private func find(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        let mark = Self.mark(name)
        for index in 0..<marks.count where marks[index] == mark && isName(index, name) { return index }
        return -1
    }

    /// Whether a column has this name, which has the same mark.
    private func isName(_ index: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = ends[index]
        guard ends[index + 1] - start == name.count else { return false }
        for place in 0..<name.count where letters[start + place] != name[place] {
            if letters[start + place] != name[place].asciiLowercased { return false }
        }
        return true
    }

    /// The length, and three of the letters without the bit that upper and lower case differ in.
    private static func mark(_ name: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let count = name.count
        guard count > 0 else { return 0 }
        let letters =
            UInt32(name[0]) << 16 | UInt32(name[count / 2]) << 8 | UInt32(name[count - 1])
        return UInt32(truncatingIfNeeded: count) << 24 | letters | 0x20_2020
    }
}
