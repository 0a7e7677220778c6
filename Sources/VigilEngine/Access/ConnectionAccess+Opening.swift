import Dispatch
import VigilStorage

extension ConnectionAccess {
    /// Opens a connection, runs the configuration's setups, and returns the access to the connection.
    static func open(
        _ backend: any StorageBackend, _ location: StorageLocation, options: StorageOptions,
        configuration: Configuration, label: String, coordinator: CommitCoordinator?, target: DispatchQueue?,
        connectionDidChange: (@Sendable (ConnectionChange) -> Void)? = nil
    ) throws -> ConnectionAccess {
        let connection: any StorageConnection
        do {
            connection = try backend.open(location, options: options)
        } catch {
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
            throw error
        }
        return ConnectionAccess(
            database: db, queue: configuration.makeQueue(label: label, target: target),
            interrupter: interrupter)
    }
}
