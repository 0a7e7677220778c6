public import VigilStorage

extension Database {
    /// Returns the tables with changes reported by row to the observations of a pool with a publication.
    ///
    /// The settings of the server, the attributes of the role and the published operations do not count: see
    /// ``DatabasePool/feedState(timeout:)``.
    ///
    /// - Parameter name: the name, as in ``Configuration/publication``.
    /// - Returns: the tables; none if the publication does not exist.
    /// - Throws: `DatabaseError`, with `SQLITE_MISUSE` for a database that is a file.
    public func reportedTables(ofPublication name: String) throws -> Set<TableName> {
        guard let server else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "only servers have publications")
        }
        return try storage { () throws(StorageError) in try server.reportedTables(ofPublication: name) }
    }
}
