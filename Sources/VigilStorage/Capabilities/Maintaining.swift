/// A connection whose database can be rebuilt, copied to a compact file, and erased by statements.
///
/// The caller runs the statements like those of the app, so that they are traced and their changes observed. Without this
/// capability, `vacuum()`, `vacuum(into:)` and `erase()` throw.
public protocol Maintaining: StorageConnection {
    /// The statement that rebuilds the database, so that it contains no free space. It runs outside of transactions.
    var rebuildingSQL: String { get }

    /// Returns the statement that writes a compact copy of the database to a file, and the argument for its only
    /// parameter. The file does not exist, or it is empty.
    func compactCopy(to path: String) -> (sql: String, argument: String)

    /// Returns the next statement that erases the main database: it drops at least one table, view or trigger.
    ///
    /// The caller runs each statement before it requests the next one, in one transaction in which foreign keys are not
    /// enforced. Temporary and attached databases are not affected.
    ///
    /// - Returns: the statement; `nil` if the database contains no tables, views or triggers that can be dropped.
    func nextErasingSQL() throws(StorageError) -> String?

    /// The statements that reset the numbers in the header of an erased database, such as the version that the app sets.
    /// They run in the transaction that erases the database. May be empty.
    var headerResettingSQL: String { get }
}
