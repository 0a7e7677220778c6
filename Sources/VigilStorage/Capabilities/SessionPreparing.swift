/// A connection to a server, whose session can be lost and replaced by another one.
package protocol SessionPreparing: StorageConnection {
    /// Prepares the current session, and each one that will replace it, before anything else runs there.
    ///
    /// If `prepare` throws for a session that replaces another one, the access that needed it fails with that error, and
    /// the next access tries again.
    ///
    /// - Parameter prepare: runs statements on the connection, such as those that set a role. It is called on the thread
    ///   that uses the connection. The connection retains it until it is closed.
    /// - Throws: the error of `prepare`.
    func prepareSessions(_ prepare: @escaping () throws(StorageError) -> Void) throws(StorageError)
}
