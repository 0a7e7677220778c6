extension String {
    /// The name in double quotes, for SQL.
    package var quotedSQLName: String { quoted("\"") }

    /// The text in single quotes, for SQL. It must not contain a NUL.
    package var quotedSQLText: String { quoted("'") }

    /// Returns the text between quotes, with each quote in it doubled.
    ///
    /// It compares bytes: a quote before a combining mark is a character of its own in Swift, and would not be
    /// doubled.
    package func quoted(_ quote: Unicode.Scalar) -> String {
        let byte = UInt8(ascii: quote)
        guard utf8.contains(byte) else { return "\(quote)\(self)\(quote)" }
        var bytes = [byte]
        for next in utf8 {
            bytes.append(next)
            if next == byte { bytes.append(byte) }
        }
        bytes.append(byte)
        return String(decoding: bytes, as: UTF8.self)
    }
}
