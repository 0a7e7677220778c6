/// A foreign key of a table, returned by ``Database/foreignKeys(on:in:)``.
public struct ForeignKeyInfo: Sendable {
    /// The identity of the foreign key within its table.
    public var id: Int

    /// The referenced table.
    public let destinationTable: String

    /// The pairs of columns: a column of this table, and the column that it refers to.
    public let mapping: [(origin: String, destination: String)]

    /// The columns of the table that has the foreign key.
    public var originColumns: [String] { mapping.map(\.origin) }

    /// The columns of the referenced table.
    public var destinationColumns: [String] { mapping.map(\.destination) }
}
