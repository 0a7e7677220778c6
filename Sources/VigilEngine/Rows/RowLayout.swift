import VigilStorage

/// The columns of a row: their names, and where they are.
final class RowLayout: Sendable {
    let names: [String]
    /// By folded name; the first of several columns with the same name.
    private let indexes: [String: Int]

    init(names: [String]) {
        self.names = names
        indexes = Dictionary(
            names.enumerated().map { ($1.foldedName, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The leftmost column of a name, whatever the case of its ASCII letters.
    func index(of name: String) -> Int? {
        // Mostly it is spelled as in the query.
        names.firstIndex(of: name) ?? indexes[name.foldedName]
    }
}
