import VigilStorage

/// The columns with the values that decide the places of rows: columns of the query, and columns added to it.
struct KeyColumns {
    /// The position of each value.
    private(set) var positions: [Int] = []
    /// The values, in SQL, to add after the columns of the query.
    private(set) var added: [String] = []
    private let columnCount: Int
    private let occurrences: [TableOccurrence]
    private var known: [ColumnReference.Meaning: Int] = [:]

    /// - Parameter columnNames: the names of the query's columns, with `*` expanded.
    init(_ columns: [ResultColumn], _ occurrences: [TableOccurrence], columnNames: [String]) {
        columnCount = columnNames.count
        self.occurrences = occurrences
        let meanings = columns.flatMap(meanings)
        // The library has the last word on what `*` stands for.
        guard meanings.count == columnCount else { return }
        for (position, meaning) in meanings.enumerated() {
            guard let meaning, known[meaning] == nil else { continue }
            known[meaning] = position
        }
    }

    /// Returns the meanings of a column as written, several for `*`; `nil` for an expression.
    private func meanings(of column: ResultColumn) -> [ColumnReference.Meaning?] {
        guard column.isStar else { return [column.reference?.meaning(in: occurrences).map(unified)] }
        let isQualified = column.tokens.count > 1
        let sources = occurrences.indices.filter { index in
            !isQualified || column.tokens.first.map { occurrences[index].isNamed($0.content) } == true
        }
        return sources.flatMap { index in
            occurrences[index].metadata.table.columns.map { unified(.column(occurrence: index, $0)) }
        }
    }

    /// Returns the same meaning for a row id and for its alias.
    private func unified(_ meaning: ColumnReference.Meaning) -> ColumnReference.Meaning {
        guard case .column(let index, let column) = meaning,
            let key = occurrences[index].metadata.table.rowIDColumn, key.isSameName(as: column.name)
        else { return meaning }
        return .rowID(occurrence: index)
    }

    /// Appends a value, and adds its SQL if no column has it.
    mutating func append(_ value: ColumnReference.Meaning, sql: String) {
        let value = unified(value)
        if let position = known[value] { return positions.append(position) }
        let position = columnCount + added.count
        added.append(sql)
        known[value] = position
        positions.append(position)
    }
}
