import VigilStorage

/// An index of a table.
public struct IndexInfo: Sendable {
    /// What made an index.
    public struct Origin: RawRepresentable, Equatable, Sendable, DatabaseValueConvertible {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// `CREATE INDEX`
        public static let createIndex = Origin(rawValue: "c")
        /// `UNIQUE` in the definition of the table.
        public static let uniqueConstraint = Origin(rawValue: "u")
        /// `PRIMARY KEY` in the definition of the table.
        public static let primaryKeyConstraint = Origin(rawValue: "pk")
    }

    public let name: String

    /// The indexed columns, in the order of the index.
    public let columns: [String]

    /// Whether no two rows of the index have the same values.
    public let isUnique: Bool

    public let origin: Origin

    /// Whether rows can be missing in it, because it has a `WHERE`. Being unique then says nothing about the table.
    public let isPartial: Bool

    /// `nil` for an index of expressions, which has no columns to name.
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
