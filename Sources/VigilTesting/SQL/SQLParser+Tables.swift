import VigilStorage

extension SQLParser {
    mutating func createTable() throws(StorageError) -> SQLForm {
        guard take("TABLE") else { throw unsupportedObject(after: "CREATE") }
        let ifNotExists = take("IF")
        if ifNotExists {
            try expect("NOT")
            try expect("EXISTS")
        }
        let first = position
        var definition = SQLTableDefinition(name: try tableName())
        definition.columns = try list { parser throws(StorageError) in try parser.columnDefinition() }
        definition.sql = "CREATE TABLE " + text(from: first, to: position)
        guard definition.columns.count(where: \.isPrimaryKey) <= 1 else {
            throw StorageError(.error, "table \"\(definition.name)\" has more than one primary key")
        }
        return .createTable(definition, ifNotExists: ifNotExists)
    }

    mutating func dropTable() throws(StorageError) -> SQLForm {
        guard take("TABLE") else { throw unsupportedObject(after: "DROP") }
        let ifExists = take("IF")
        if ifExists { try expect("EXISTS") }
        return .dropTable(try tableName(), ifExists: ifExists)
    }

    private func unsupportedObject(after verb: String) -> StorageError {
        guard case .word(let word)? = peek() else { return unexpected() }
        return unsupported("\(verb) \(word)")
    }

    private mutating func columnDefinition() throws(StorageError) -> SQLTableDefinition.Column {
        var column = SQLTableDefinition.Column(name: try name())
        column.type = try columnType()
        while true {
            if take("PRIMARY") {
                try expect("KEY")
                column.isPrimaryKey = true
            } else if take("NOT") {
                try expect("NULL")
                column.isNotNull = true
            } else if take("UNIQUE") {
                column.isUnique = true
            } else {
                return column
            }
        }
    }

    /// Parses an optional type: words, optionally with numbers in parentheses, as in `VARCHAR(20)`.
    private mutating func columnType() throws(StorageError) -> String {
        let first = position
        while case .word(let word)? = peek(), !Self.endsType(word) { _ = try name() }
        if position > first, peek() == .symbol("(") {
            _ = try list { parser throws(StorageError) in try parser.operand() }
        }
        return text(from: first, to: position)
    }

    private static func endsType(_ word: String) -> Bool {
        ["primary", "not", "unique"].contains(word.foldedName)
    }
}
