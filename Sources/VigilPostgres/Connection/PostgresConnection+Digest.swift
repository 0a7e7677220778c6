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

    /// Adds a statement and its columns to the summary, if there is one.
    func addToDigest(_ rows: ResultStream, of text: PostgresSQL) {
        guard digest != nil, !rows.columnTypes.isEmpty else { return }
        hasDigestedResults = true
        for name in [text.text] + rows.columnNames {
            var name = name
            name.withUTF8 { digest?.combine(UnsafeRawBufferPointer($0)) }
        }
        // The same text is another value if it has another type.
        for type in rows.columnTypes { digest?.combine(Int(type)) }
    }

    /// Adds a row to the summary, if there is one.
    func addToDigest(_ row: ResultStream.Row, columnCount: Int) {
        guard digest != nil else { return }
        digest?.combine(1)
        for column in 0..<columnCount { digest?.combine(row.bytes(column)) }
    }

    /// Adds the end of a statement's rows to the summary, if there is one.
    func addEndToDigest() { digest?.combine(0) }
}
