/// The columns by which an association joins two tables.
///
/// An association needs a foreign key if the schema has no foreign key between its tables, or several:
///
/// ```swift
/// struct Book: TableRecord {
///     static let author = belongsTo(Person.self, key: "author", using: ForeignKey(["authorId"]))
///     static let translator = belongsTo(Person.self, key: "translator", using: ForeignKey(["translatorId"]))
/// }
/// ```
public struct ForeignKey: Equatable, Sendable {
    /// The columns of the referring table.
    let originColumns: [String]
    /// The columns referred to; `nil` for the columns of the schema's foreign key, or the primary key.
    let destinationColumns: [String]?

    /// Creates a foreign key.
    ///
    /// - Parameters:
    ///   - originColumns: The columns of the referring table: the one that belongs to the other table.
    ///   - destinationColumns: The columns referred to; by default those in the schema's foreign key, or the
    ///     primary key.
    public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
        self.originColumns = originColumns
        self.destinationColumns = destinationColumns
    }

    /// Creates a foreign key.
    public init(_ originColumns: [any ColumnExpression], to destinationColumns: [any ColumnExpression]? = nil)
    {
        self.init(originColumns.map(\.name), to: destinationColumns?.map(\.name))
    }
}
