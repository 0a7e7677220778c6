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

    private init(names: [String], positions: [Int]?, scopes: [Scope], sql: String?, base: RowLayout?) {
        self.names = names
        self.positions = positions
        self.scopes = scopes
        self.sql = sql
        self.base = base
        marks = names.map { Array($0.utf8).withUnsafeBufferPointer(Self.mark) }
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
        if let answer = name.utf8.withContiguousStorageIfAvailable({ index(ofUTF8: $0) }) { return answer }
        return Array(name.utf8).withUnsafeBufferPointer { index(ofUTF8: $0) }
    }

    private func index(ofUTF8 name: UnsafeBufferPointer<UInt8>) -> Int? {
        let mark = Self.mark(name)
        for index in 0..<marks.count where marks[index] == mark && isName(index, name) { return index }
        return nil
    }

    private func isName(_ index: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let own = names[index].utf8
        guard own.count == name.count else { return false }
        return own.withContiguousStorageIfAvailable { Self.isSame($0, name) }
            ?? zip(own, name).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }

    private static func isSame(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in 0..<a.count where a[index] != b[index] {
            if a[index].asciiLowercased != b[index].asciiLowercased { return false }
        }
        return true
    }

    /// The length, and three of the letters, folded.
    private static func mark(_ name: UnsafeBufferPointer<UInt8>) -> UInt32 {
        guard let first = name.first, let last = name.last else { return 0 }
        let middle = name[name.count / 2]
        return UInt32(truncatingIfNeeded: name.count) << 24 | UInt32(first.asciiLowercased) << 16
            | UInt32(middle.asciiLowercased) << 8 | UInt32(last.asciiLowercased)
    }
}
