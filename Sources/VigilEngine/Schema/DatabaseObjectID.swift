import VigilStorage

/// One of the databases that a connection has open.
public struct DatabaseSchemaID: Hashable, Sendable {
    /// The name, such as `main`.
    public let name: String

    init(name: String) {
        self.name = name
    }

    /// The database itself.
    public static let main = DatabaseSchemaID(name: "main")

    /// The connection's temporary tables.
    public static let temp = DatabaseSchemaID(name: "temp")

    /// A database that was attached.
    public static func attached(_ name: String) -> DatabaseSchemaID { DatabaseSchemaID(name: name) }

    public static func == (a: DatabaseSchemaID, b: DatabaseSchemaID) -> Bool { a.name.isSameName(as: b.name) }

    public func hash(into hasher: inout Hasher) { hasher.combine(name.foldedName) }
}

/// A table, view, index or trigger, with the database that it belongs to.
public struct DatabaseObjectID: Hashable, Sendable {
    public var name: String
    public var schemaID: DatabaseSchemaID

    public init(name: String, schemaID: DatabaseSchemaID) {
        self.name = name
        self.schemaID = schemaID
    }
}
