import Dispatch
import VigilStorage

extension ConnectionAccess {
    /// Opens a connection, runs the configuration's setups, and returns the access to the connection.
    ///
    /// - Parameter isAdditional: whether another connection to the same database is open. If the server
    ///   cannot be reached, it is likely to come back: the error is the same as for a lost connection.
    static func open(
        _ backend: any StorageBackend, _ location: StorageLocation, options: StorageOptions,
        configuration: Configuration, label: String, coordinator: CommitCoordinator?, target: DispatchQueue?,
        isAdditional: Bool = false,
        connectionDidChange: (@Sendable (ConnectionChange) -> Void)? = nil
    ) throws -> ConnectionAccess {
        let connection: any StorageConnection
        do {
            connection = try openConnection(of: backend, at: location, options)
        } catch {
            var error = error
            if isAdditional, location.isServer, error.code == .cannotOpen { error.code = .connectionLost }
            throw DatabaseError(error)
        }
        let interrupter = connection.interrupter
        let db = Database(
            connection: connection, configuration: configuration, label: label, coordinator: coordinator,
            connectionDidChange: connectionDidChange)
        // The opening thread holds the connection until it is set up.
        defer { db.accessThread.release() }
        do {
            try db.setUp()
        } catch {
            // Cached statements retain the database.
            db.removeCachedStatements()
            throw (error as? DatabaseError)?.of(db.dialect) ?? error
        }
        return ConnectionAccess(
            database: db, queue: configuration.makeQueue(label: label, target: target),
            interrupter: interrupter)
    }

    /// Opens a connection. One that is hidden by the backend of a program cannot be completed after its
    /// preparation, and is completed before it.
    private static func openConnection(
        of backend: any StorageBackend, at location: StorageLocation, _ options: StorageOptions
    ) throws(StorageError) -> any StorageConnection {
        let connection = try backend.open(location, options: options)
        guard options.isPreparedBeforeUse, !location.isServer, !(connection is any EmbeddedConnection) else {
            return connection
        }
        try connection.close()
        var options = options
        options.isPreparedBeforeUse = false
        return try backend.open(location, options: options)
    }
}
