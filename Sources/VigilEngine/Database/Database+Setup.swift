import VigilStorage

extension Database {
    /// Runs ``Configuration/prepareDatabase(_:)``, also in each session that replaces a lost one.
    func runSetups() throws {
        let setups = configuration.setups
        guard !setups.isEmpty, let server else {
            for setup in setups { try setup(self) }
            return
        }
        var failure: (any Error)?
        do throws(StorageError) {
            try server.prepareSessions { [reference] () throws(StorageError) in
                guard let db = reference.database else { return }
                do {
                    try db.withoutRecording { for setup in setups { try setup(db) } }
                } catch {
                    failure = error
                    throw StorageError(preparing: error)
                }
            }
        } catch {
            throw failure ?? DatabaseError(error)
        }
    }
}

extension StorageError {
    /// Creates the error of an access whose session could not be prepared.
    fileprivate init(preparing error: any Error) {
        let message = "the session that replaces a lost one could not be prepared: "
        guard let error = error as? DatabaseError else {
            self.init(.error, message + "\(error)")
            return
        }
        self.init(
            Code(rawValue: error.extendedResultCode.rawValue), message + (error.message ?? ""), sql: error.sql
        )
        sqlState = error.sqlState
        diagnostics = error.diagnostics
    }
}
