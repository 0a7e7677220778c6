import VigilStorage

/// An index of a table, returned by ``Database/indexes(on:in:)``.
public struct IndexInfo: Sendable {
    /// The origin of an index.
    public struct Origin: RawRepresentable, Equatable, Sendable, DatabaseValueConvertible {
        /// The code in SQLite.
        public var rawValue: String

        /// Creates an origin from its code in SQLite.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The index was created by `CREATE INDEX`.
        public static let createIndex = Origin(rawValue: "c")
        /// The index implements a `UNIQUE` constraint.
        public static let uniqueConstraint = Origin(rawValue: "u")
        /// The index implements a `PRIMARY KEY` constraint.
        public static let primaryKeyConstraint = Origin(rawValue: "pk")
    }

    /// The name of the index.
    public let name: String

    /// The indexed columns, in the order of the index.
    public let columns: [String]

    /// Whether the values of the rows in the index are unique.
    public let isUnique: Bool

    /// The origin of the index.
    public let origin: Origin

    /// Whether the index has a `WHERE` clause, and covers only some rows. Rows outside of it need not be
    /// unique.
    public let isPartial: Bool

    /// Returns `nil` for an index on expressions, because they have no column names.
    init?(_ index: StorageIndex) {
        let columns = index.columns.compactMap { $0 }
        guard columns.count == index.columns.count else { return nil }
        self.columns = columns
        name = index.name
        isUnique = index.isUnique
        isPartial = index.isPartial
        origin =
            switch index.origin {
            case .createIndex: .createIndex
            case .uniqueConstraint: .uniqueConstraint
            case .primaryKey: .primaryKeyConstraint
            }
    }
}
