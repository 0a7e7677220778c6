import VigilStorage

/// The definition of a relation, sent by the stream before its rows.
final class StreamedRelation: Sendable {
    struct Column: Sendable, Equatable {
        var name: String
        /// The number of its type.
        var type: UInt32
        /// Whether it belongs to the replica identity: the stream sends its value before an update or a
        /// deletion.
        var isInIdentity: Bool
    }

    let id: UInt32
    let columns: [Column]
    /// Whether the stream sends all values before an update, each time.
    let isIdentityFull: Bool
    let names: [String]
    /// The types of the values, as far as they can be compared.
    let types: [ComparedType?]
    /// Whether equal texts of the columns may be different values.
    let hasAmbiguousText: [Bool]
    /// Whether two columns have the same name without the case of letters. Values are looked up by such
    /// names, so rows are then not reported.
    let isAmbiguous: Bool

    init(id: UInt32, columns: [Column], isIdentityFull: Bool) {
        self.id = id
        self.columns = columns
        self.isIdentityFull = isIdentityFull
        names = columns.map(\.name)
        types = columns.map { ComparedType(type: $0.type) }
        hasAmbiguousText = columns.map { PostgresType.hasAmbiguousText($0.type) }
        isAmbiguous = Set(names.map(\.foldedName)).count < names.count
    }

    /// Returns the position of a column.
    func position(of name: String) -> Int? { names.firstIndex { $0.isSameName(as: name) } }
}

extension StreamedRelation: Equatable {
    static func == (a: StreamedRelation, b: StreamedRelation) -> Bool {
        a === b
            || a.id == b.id && a.columns == b.columns && a.isIdentityFull == b.isIdentityFull
    }
}
