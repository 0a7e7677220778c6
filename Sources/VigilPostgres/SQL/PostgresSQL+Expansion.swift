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
        if case .blob(let bytes) = self { #"'\x\#(bytes.hexDigits)'"# } else { sqlLiteral }
    }
}
