/// A connection that can switch the enforcement of foreign keys on and off.
///
/// Migrations depend on it: with the enforcement switched off, they can replace tables that others refer to.
public protocol ForeignKeyEnforcing: StorageConnection {
    /// Returns whether foreign keys are enforced.
    func enforcesForeignKeys() throws(StorageError) -> Bool

    /// Switches the enforcement of foreign keys on or off. Existing rows are not checked.
    ///
    /// The caller calls this only while no transaction is open.
    func setEnforcesForeignKeys(_ enforces: Bool) throws(StorageError)

    /// Whether the open transaction violates a foreign key that is checked when the transaction is committed.
    var hasDeferredForeignKeyViolations: Bool { get }
}
