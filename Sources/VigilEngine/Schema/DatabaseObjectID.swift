import VigilStorage

/// The identifier of an open database of a connection: its name.
public struct DatabaseSchemaID: Hashable, Sendable {
    /// The name, such as `main`.
    public let name: String

    /// The main database.
    public static let main = DatabaseSchemaID(name: SchemaNaming.main)

    /// The database of the connection's temporary tables.
    public static let temp = DatabaseSchemaID(name: SchemaNaming.temporary)

    /// Returns the identifier of an attached database.
    public static func attached(_ name: String) -> DatabaseSchemaID { DatabaseSchemaID(name: name) }

    /// Returns whether two names are equal, regardless of the case of ASCII letters.
    public static func == (a: DatabaseSchemaID, b: DatabaseSchemaID) -> Bool { a.name.isSameName(as: b.name) }

    /// Hashes the name, regardless of the case of ASCII letters.
    public func hash(into hasher: inout Hasher) { hasher.combine(name.foldedName) }
}

/// The identifier of a table, view, index or trigger: its name and its database.
public struct DatabaseObjectID: Hashable, Sendable {
    /// The name of the object.
    public var name: String
    /// The database of the object.
    public var schemaID: DatabaseSchemaID

    /// Creates an identifier.
    public init(name: String, schemaID: DatabaseSchemaID) {
        self.name = name
        self.schemaID = schemaID
    }
}
