import VigilStorage

extension PostgresSQL {
    /// Returns the text of the server, with literals in place of the parameters, for display.
    func expanded(with values: [StorageValue]) -> String {
        var lexer = PostgresLexer(serverText)
        var expanded = ""
        var end = 0
        while let token = lexer.next() {
            expanded += lexer.text(end..<token.range.lowerBound)
            end = token.range.upperBound
            if case .numberedParameter(let number) = token.kind, serverParameters.indices.contains(number - 1)
            {
                let index = serverParameters[number - 1] - 1
                expanded += (values.indices.contains(index) ? values[index] : .null).postgresLiteral
            } else {
                expanded += lexer.text(token.range)
            }
        }
        return expanded
    }
}

extension StorageValue {
    fileprivate var postgresLiteral: String {
        switch self {
        case .null: "NULL"
        case .integer(let integer): String(integer)
        case .real(let real): real.description
        case .text(let text): text.quotedSQLText
        case .blob(let bytes):
            #"'\x"# + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
        }
    }
}
