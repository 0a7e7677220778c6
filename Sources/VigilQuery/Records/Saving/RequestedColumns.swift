import VigilStorage

/// The columns requested for an update.
///
/// SQLite distinguishes columns with canonically equivalent names, such as the two encodings of `é`. A set of
/// strings, as passed to callbacks, does not.
@usableFromInline
struct RequestedColumns: Sendable {
    /// The columns passed to callbacks.
    @usableFromInline let names: Set<String>
    /// The columns different from a member of ``names``, but canonically equivalent to it.
    private let equivalents: [String]
    private let isASCII: Bool

    init(_ columns: some Sequence<String>) {
        var names: Set<String> = []
        var equivalents: [String] = []
        var isASCII = true
        for column in columns {
            if !column.utf8.allSatisfy({ $0 < 0x80 }) { isASCII = false }
            if !names.insertExactly(column) { equivalents.append(column) }
        }
        self.names = names
        self.equivalents = equivalents
        self.isASCII = isASCII
    }

    /// The columns, with their exact names.
    var all: [String] { names + equivalents }
}

extension RequestedColumns: Hashable {
    @usableFromInline
    static func == (a: RequestedColumns, b: RequestedColumns) -> Bool {
        guard a.isASCII == b.isASCII, a.names == b.names else { return false }
        // Equal strings of ASCII characters are identical.
        guard !a.isASCII else { return true }
        return a.equivalents.isIdentical(to: b.equivalents)
            && a.names.allSatisfy { name in
                b.names.firstIndex(of: name).map { b.names[$0].isIdentical(to: name) } ?? false
            }
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
