/// The columns that an association joins two tables by.
///
/// An association needs a foreign key if the schema has none between its tables, or several:
///
/// ```swift
/// struct Book: TableRecord {
///     static let author = belongsTo(Person.self, key: "author", using: ForeignKey(["authorId"]))
///     static let translator = belongsTo(Person.self, key: "translator", using: ForeignKey(["translatorId"]))
/// }
/// ```
public struct ForeignKey: Equatable, Sendable {
    /// The columns of the table that refers to the other one.
    let originColumns: [String]
    /// The columns that they refer to; `nil` for those of the foreign key in the schema, or for the primary key.
    let destinationColumns: [String]?

    /// Creates a foreign key.
    ///
    /// - Parameters:
    ///   - originColumns: The columns of the table that refers to the other one: the one that belongs to it.
    ///   - destinationColumns: The columns that they refer to; `nil` for those of the foreign key in the schema, or
    ///     for the primary key.
    public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
        self.originColumns = originColumns
        self.destinationColumns = destinationColumns
    }

    /// Creates a foreign key.
    ///
    /// - Parameters:
    ///   - originColumns: The columns of the table that refers to the other one: the one that belongs to it.
    ///   - destinationColumns: The columns that they refer to; `nil` for those of the foreign key in the schema, or
    ///     for the primary key.
    public init(_ originColumns: [any ColumnExpression], to destinationColumns: [any ColumnExpression]? = nil)
    {
        self.init(originColumns.map(\.name), to: destinationColumns?.map(\.name))
    }
}
