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
}
