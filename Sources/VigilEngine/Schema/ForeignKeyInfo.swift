/// A foreign key of a table.
public struct ForeignKeyInfo: Sendable {
    /// Tells the foreign keys of one table apart.
    public var id: Int

    /// The table that it refers to.
    public let destinationTable: String

    /// Which column refers to which.
    public let mapping: [(origin: String, destination: String)]

    /// The columns of the table that has the foreign key.
    public var originColumns: [String] { mapping.map(\.origin) }

    /// The columns of the table that it refers to.
    public var destinationColumns: [String] { mapping.map(\.destination) }
}
