public import VigilEngine

/// How a record type resolves constraint violations when its records are saved.
///
/// ```swift
/// extension Player: PersistableRecord {
///     static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
/// }
/// ```
///
/// The `onConflict` parameter of saving methods takes precedence.
///
/// With `Database.ConflictResolution.ignore`, no error is thrown if the row is skipped. `didInsert(_:)` is
/// then called with the row id of an earlier insertion. In databases without row ids, such as servers, it is
/// not called, because the record may have no key: the server generates it. They support no other resolution
/// than `ignore`, and only for insertions.
public struct PersistenceConflictPolicy: Sendable {
    /// The resolution for insertions.
    public let conflictResolutionForInsert: Database.ConflictResolution

    /// The resolution for updates.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    /// Creates a policy. By default, statements fail if they violate a constraint.
    public init(
        insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort
    ) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }
}
