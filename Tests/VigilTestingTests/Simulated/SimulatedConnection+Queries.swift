import VigilStorage

/// Shorthands for tests of the simulation, in addition to those for all backends.
extension StorageConnection {
    /// Returns the first column of each row.
    func integers(_ sql: String) throws -> [Int64] {
        try run(sql).compactMap { if case .integer(let integer)? = $0.first { integer } else { nil } }
    }

    /// Returns the code of the error that `sql` throws, or `nil` if it succeeds.
    func code(_ sql: String) -> StorageError.Code? {
        do {
            try run(sql)
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }
}
