public import VigilEngine

/// How a record type resolves constraint violations when its records are saved.
///
/// ```swift
/// extension Player: PersistableRecord {
///     static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
/// }
/// ```
///
/// The `onConflict` parameter of the methods that save a record takes precedence.
///
/// With `Database.ConflictResolution.ignore`, no error is thrown if the row is skipped. `didInsert(_:)` is then
/// called with the row id of an earlier insertion. In databases without row ids, such as those on a server, it is not
/// called then: a record whose key the server generates has none. They support no other resolution than `ignore`, and
/// that only for insertions.
public struct PersistenceConflictPolicy: Sendable {
    /// The resolution for insertions.
    public let conflictResolutionForInsert: Database.ConflictResolution

    /// The resolution for updates.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    /// Creates a policy. By default, statements that violate a constraint fail.
    public init(
        insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort
    ) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }
}
