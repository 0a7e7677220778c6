/// A condition on one column of one table that a row must meet to take part in what a statement returns.
///
/// It is a *necessary* condition: a row that does not meet it makes no difference to the result; one that does may
/// still make none.
public struct RowCondition: Sendable, Hashable {
    public enum Column: Sendable, Hashable {
        /// The row id, under whichever name.
        case rowID
        /// A stored column, in the schema's spelling.
        case named(String)
    }

    /// How text compares. A column with another collation has no conditions on text, but for ``Test/prefix(_:)``,
    /// which does not depend on it.
    public enum Collation: Sendable, Hashable {
        case binary
        /// Ignores the case of ASCII letters: all count as small ones, also in the order.
        case nocase
        /// Ignores spaces at the end.
        case rtrim
    }

    public struct Bound: Sendable, Hashable {
        /// Never NULL.
        public var value: StorageValue
        public var isIncluded: Bool

        public init(_ value: StorageValue, isIncluded: Bool) {
            self.value = value
            self.isIncluded = isIncluded
        }
    }

    /// What the stored value must be like. Values compare as SQLite compares what is stored with what is given
    /// *without* changing either for an affinity: whoever makes a condition has done that already.
    public enum Test: Sendable, Hashable {
        /// It equals one of these, none of which is NULL. With none at all, no row meets the condition.
        case oneOf([StorageValue])
        /// It is not NULL, and within the bounds. Values of other kinds are ordered as SQLite orders them: numbers
        /// before text before blobs.
        case range(lower: Bound?, upper: Bound?)
        case isNull
        case isNotNull
        /// It is text that begins with this one, or it is no text at all but a number or a blob: `LIKE` and `GLOB`
        /// match those too. The texts are compared byte by byte, in UTF-8; with ``Collation/nocase`` the case of
        /// ASCII letters makes no difference, which is how `LIKE` compares. Spaces always count.
        case prefix(String)
    }

    public var column: Column
    public var collation: Collation
    public var test: Test

    public init(_ column: Column, _ test: Test, collation: Collation = .binary) {
        self.column = column
        self.test = test
        self.collation = collation
    }
}
