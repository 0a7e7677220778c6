/// A connection whose transaction commands are SQL statements.
public protocol CommandSpelling: StorageConnection {
    /// Returns the statement that performs a transaction command, for errors that name what was refused.
    func sql(of command: TransactionCommand) -> String

    /// Returns whether a statement only reads or sets the read-only mode of the connection. Such a statement acquires
    /// no lock.
    func setsReadOnlyMode(_ sql: String) -> Bool
}
