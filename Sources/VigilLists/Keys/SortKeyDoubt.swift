/// A reason why the order of encoded values may differ from the database's.
package enum SortKeyDoubt: Sendable, Hashable {
    /// Text with a zero byte, sorted by `NOCASE`: SQLite ignores the bytes behind it.
    case zeroByteInFoldedText
    /// An integer beyond 2⁵³ beside a floating-point number. The library rounds to compare them.
    case largeIntegerBesideReal
    /// The row ids and sort values of a row are longer than ``SortKeyEncoder/lengthLimit``.
    case tooLong
    /// A missing row id in a table outside the optional sides of joins.
    case missingRowID
}
