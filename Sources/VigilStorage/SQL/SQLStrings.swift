extension String {
    /// Whether the text contains a NUL, where libraries in C would end it.
    package var containsNullCharacter: Bool {
        utf8.withContiguousStorageIfAvailable { $0.contains(0) } ?? utf8.contains(0)
    }

    /// Checks a name, path or setting for a library in C.
    ///
    /// - Parameter subject: what the text is, as in "the path".
    /// - Throws: An error with the given code if the text contains a NUL: the library would ignore the rest.
    package func checkForNullCharacter(in subject: String, code: StorageError.Code = .misuse)
        throws(StorageError)
    {
        guard containsNullCharacter else { return }
        throw StorageError(code, "\(subject) contains a NUL character")
    }

    /// Checks the text of statements.
    ///
    /// - Throws: ``StorageError/Code/error`` if it contains a NUL: the library would run the beginning only.
    package func checkForNullCharacterInSQL() throws(StorageError) {
        guard containsNullCharacter else { return }
        throw StorageError(
            .error, "the SQL contains a NUL character: bind text that contains one as an argument", sql: self)
    }

    /// The name in double quotes, for SQL.
    package var quotedSQLName: String { quoted("\"") }

    /// The text in single quotes, for SQL. It must not contain a NUL.
    package var quotedSQLText: String { quoted("'") }

    /// Returns the text between quotes, with each quote in it doubled.
    ///
    /// Compares bytes: for Swift, a quote and a combining mark are one character, which is not doubled.
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

extension Sequence where Element == UInt8 {
    /// The hexadecimal digits of the bytes, in lower case.
    package var hexDigits: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
