/// A reason why the order of encoded values may differ from the database's.
package enum SortKeyDoubt: Sendable, Hashable {
    /// Text with a zero byte, sorted by `NOCASE`: SQLite ignores the bytes behind it.
    case zeroByteInFoldedText
    /// An integer beyond 2⁵³ and a floating-point number, in a library that rounds when it compares them.
    case largeIntegerBesideReal
    /// The values of a row that decide its place are longer than ``SortKeyEncoder/lengthLimit``.
    case tooLong
    /// A row has no row id in a table that is not on the optional side of a join.
    case missingRowID
}
