package import VigilStorage

extension PostgresConnection: ResultDigesting {
    package func beginResultDigest() {
        digest = ResultHasher()
        hasDigestedResults = false
    }

    package func endResultDigest() -> ResultDigest? {
        defer { digest = nil }
        return hasDigestedResults ? digest.map { ResultDigest($0) } : nil
    }

    /// Adds the rows of a statement to the summary, if there is one.
    func addToDigest(_ result: PostgresResult, of text: PostgresSQL, _ columnNames: [String]) {
        guard digest != nil, result.columnCount > 0 else { return }
        hasDigestedResults = true
        for name in [text.text] + columnNames {
            var name = name
            name.withUTF8 { digest?.combine(UnsafeRawBufferPointer($0)) }
        }
        digest?.combine(result.rowCount)
        for row in 0..<result.rowCount {
            for column in 0..<result.columnCount { digest?.combine(result.bytes(row: row, column: column)) }
        }
    }
}
