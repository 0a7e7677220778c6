package import VigilStorage

/// The digest of the results of a fetch.
struct FetchDigest {
    var hasher = ResultHasher()
    var hasResults = false
}

extension PostgresConnection: ResultDigesting {
    package func beginResultDigest() {
        digest = FetchDigest()
    }

    package func endResultDigest() -> ResultDigest? {
        defer { digest = nil }
        guard let digest, digest.hasResults else { return nil }
        return ResultDigest(digest.hasher)
    }

    /// Adds a statement and its columns to the digest, if any.
    func addToDigest(_ rows: ResultStream, of text: PostgresSQL) {
        guard digest != nil, !rows.columnTypes.isEmpty else { return }
        digest?.hasResults = true
        for name in [text.text] + rows.columnNames {
            var name = name
            name.withUTF8 { digest?.hasher.combine(UnsafeRawBufferPointer($0)) }
        }
        // The same text is another value if it has another type.
        for type in rows.columnTypes { digest?.hasher.combine(Int(type)) }
    }

    /// Adds a row to the digest, if any.
    func addToDigest(_ row: ResultStream.Row, columnCount: Int) {
        guard digest != nil else { return }
        digest?.hasher.combine(1)
        for column in 0..<columnCount { digest?.hasher.combine(row.bytes(column)) }
    }

    /// Adds the end of a statement's rows to the digest, if any.
    func addEndToDigest() { digest?.hasher.combine(0) }
}
