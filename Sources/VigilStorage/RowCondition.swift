/// A condition that a column's value must meet for its row to make a difference to a statement's result.
///
/// The condition is necessary, not sufficient: a row that does not meet it makes no difference to the result;
/// a row that meets it may still make none.
public struct RowCondition: Sendable, Hashable {
    /// The column of a condition.
    public enum Column: Sendable, Hashable {
        /// The row id, whatever its name in the statement.
        case rowID
        /// A stored column, in the schema's spelling.
        case named(String)
    }

    /// How text is compared.
    ///
    /// A column with any other collation can have no conditions on text, except ``Test/prefix(_:)``, which
    /// does not depend on the collation.
    public enum Collation: Sendable, Hashable {
        /// Byte by byte.
        case binary
        /// Byte by byte, with ASCII letters in lower case.
        case nocase
        /// Byte by byte, ignoring spaces at the end.
        case rtrim
    }

    /// An end of a range.
    public struct Bound: Sendable, Hashable {
        /// The value of the bound, never NULL.
        public var value: StorageValue
        /// Whether the range contains the bound itself.
        public var isIncluded: Bool

        /// Creates a bound.
        public init(_ value: StorageValue, isIncluded: Bool) {
            self.value = value
            self.isIncluded = isIncluded
        }
    }

    /// The test of the stored value.
    ///
    /// Values are compared as SQLite compares them, *without* any conversion by affinity: a condition
    /// contains converted values (see ``ColumnAffinity``).
    public enum Test: Sendable, Hashable {
        /// The value equals one of these. None is NULL. No row meets an empty list.
        case oneOf([StorageValue])
        /// The value is not NULL, and lies within the bounds. Values of different kinds are ordered as in
        /// SQLite: numbers before text before blobs.
        case range(lower: Bound?, upper: Bound?)
        /// The value is NULL.
        case isNull
        /// The value is not NULL.
        case isNotNull
        /// The value is text with this prefix, or it is a number or a blob: `LIKE` and `GLOB` can match these
        /// too.
        ///
        /// The texts are compared byte by byte, in UTF-8. With ``Collation/nocase`` the case of ASCII letters
        /// is ignored, as `LIKE` does. Spaces are always significant.
        case prefix(String)
    }

    /// The tested column.
    public var column: Column
    /// How the test compares text.
    public var collation: Collation
    /// The test of the column's value.
    public var test: Test

    /// Creates a condition.
    public init(_ column: Column, _ test: Test, collation: Collation = .binary) {
        self.column = column
        self.test = test
        self.collation = collation
    }
}
