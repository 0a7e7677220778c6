import VigilStorage

/// The backends of this build, with names for failure messages.
struct NamedBackend {
    let name: String
    let backend: any StorageBackend

    static var all: [NamedBackend] {
        testedBackends.map { NamedBackend(name: $0.name, backend: $0.backend) }
    }

    /// Returns a connection to a new database in memory with a schema.
    func open(_ schema: String) throws -> any StorageConnection {
        let connection = try backend.open(.memory(name: nil), options: StorageOptions())
        try connection.run(schema)
        return connection
    }
}
