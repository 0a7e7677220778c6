package import VigilStorage

/// The optional protocols of a connection, looked up once.
struct ConnectionRoles {
    let embedded: (any EmbeddedConnection)?
    let server: (any ServerConnection)?
    let schema: (any SchemaReading)?
    let functions: (any FunctionHosting)?
    let digester: (any ResultDigesting)?
    let dialect: (any DialectProviding)?

    init(_ connection: any StorageConnection) {
        embedded = connection as? any EmbeddedConnection
        server = connection as? any ServerConnection
        schema = connection as? any SchemaReading
        functions = connection as? any FunctionHosting
        digester = connection as? any ResultDigesting
        dialect = connection as? any DialectProviding
    }
}

// Reading these properties outside of an access traps.
extension Database {
    /// The connection, if it uses a library of the SQLite family.
    package var embedded: (any EmbeddedConnection)? {
        checkConfinement()
        return roles.embedded
    }

    /// The connection, if the database is on a server.
    package var server: (any ServerConnection)? {
        checkConfinement()
        return roles.server
    }

    /// The connection, if it describes its schema.
    var schemaReading: (any SchemaReading)? {
        checkConfinement()
        return roles.schema
    }
}
