/// A term of the order of a list.
package struct SortTerm: Sendable, Hashable {
    /// How text is compared. A statement that sorts by any other collation cannot be followed row by row.
    package enum Collation: Sendable, Hashable {
        /// Byte by byte.
        case binary
        /// Byte by byte, with ASCII letters in lower case.
        case nocase
    }

    package let collation: Collation
    package let isDescending: Bool
    /// Whether NULL comes after all other values. Otherwise, it comes before them.
    package let nullsAreLast: Bool

    /// - Parameter nullsAreLast: whether the statement has `NULLS LAST`; `nil` if it leaves the place of NULL to
    ///   the direction.
    package init(
        collation: Collation = .binary, isDescending: Bool = false, nullsAreLast: Bool? = nil
    ) {
        self.collation = collation
        self.isDescending = isDescending
        self.nullsAreLast = nullsAreLast ?? isDescending
    }
}
