import VigilEngine

extension MutablePersistableRecord {
    /// Saves the record between its `willSave`, `aroundSave` and `didSave` callbacks.
    ///
    /// - Parameter save: Runs the statements of the save, with their callbacks.
    /// - Returns: The second result of `save`.
    mutating func withSaveCallbacks<T>(
        _ db: Database, _ save: (inout Self) throws -> (PersistenceSuccess, T)
    ) throws -> T {
        try willSave(db)
        var saved: (success: PersistenceSuccess, result: T)?
        try aroundSave(db) {
            let (success, result) = try save(&self)
            saved = (success, result)
            return success
        }
        guard let saved else { throw callbackMisuse("aroundSave") }
        didSave(saved.success)
        return saved.result
    }

    /// Inserts the record between its `willInsert`, `aroundInsert` and `didInsert` callbacks.
    mutating func withInsertCallbacks<T>(
        _ db: Database, _ insert: (Self) throws -> (InsertionSuccess, T)
    ) throws -> (InsertionSuccess, T) {
        try willInsert(db)
        var inserted: (success: InsertionSuccess, result: T)?
        try aroundInsert(db) {
            let (success, result) = try insert(self)
            inserted = (success, result)
            return success
        }
        guard let inserted else { throw callbackMisuse("aroundInsert") }
        if inserted.success.isInserted { didInsert(inserted.success) }
        return (inserted.success, inserted.result)
    }
}
