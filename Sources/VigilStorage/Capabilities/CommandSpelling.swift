/// A connection whose transaction commands are statements of its SQL.
public protocol CommandSpelling: StorageConnection {
    /// Returns the statement that performs a transaction command, for errors that name what was refused.
    func sql(of command: TransactionCommand) -> String

    /// Returns whether a statement only asks for, or sets, whether the connection may write. It acquires no lock.
    func setsReadOnlyMode(_ sql: String) -> Bool
}
