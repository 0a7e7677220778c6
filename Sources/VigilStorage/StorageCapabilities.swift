/// The abilities of a connection beyond the minimum that every backend must provide.
///
/// ```swift
/// var capabilities = StorageCapabilities(libraryVersion: "3.40.1")
/// capabilities.reportsRowImages = true
/// ```
///
/// The layers above read the capabilities at run time, and manage without those that are missing. A
/// capability is a promise that the contract checks: declare it only if it always holds. Features with
/// functions of their own, such as ``FunctionHosting``, are protocols that a connection conforms to.
public struct StorageCapabilities: Sendable, Hashable {
    /// The version of the library behind the connection, such as `3.40.1`.
    public var libraryVersion: String
    /// The version of the encryption library, such as `4.5.6 community`; `nil` without encryption.
    public var cipherVersion: String?
    /// Whether every row change is reported with the old and new values of the row, see ``RowChange/images``.
    public var reportsRowImages = false
    /// Whether each changed row is reported separately with ``ChangeInterest/everyRow``, including rows
    /// deleted by REPLACE and by a DELETE without WHERE. If not, some changes are reported as
    /// ``ChangeEvent/table(_:)``.
    public var reportsEveryRow = false
    /// Whether other connections can read a stable snapshot while this one writes and commits. A
    /// `DatabasePool` depends on it for concurrent reads.
    public var allowsConcurrentReaders = false
    /// Whether ``StorageConnection/foreignChangeToken()`` returns a token.
    public var hasForeignChangeToken = false
    /// Whether the connection reports its own changes to its ``ChangeSink`` while it makes them, and the sink
    /// can prevent their commit.
    ///
    /// If not, ``StorageConnection/foreignChangeToken()`` also changes with the connection's own commits. The
    /// commits of a pool are then observed by the feed of the backend, see ``CommitFeeding``.
    public var reportsOwnChanges = true
    /// Whether ``TransactionCommand/beginImmediate`` excludes other writers until the transaction ends. If
    /// not, a commit can fail with ``StorageError/Code/busy``, because another transaction has written in the
    /// meantime.
    public var excludesWriters = true
    /// Whether a transaction can be continued after one of its statements has failed. If not, it can only be
    /// rolled back, completely or to a savepoint.
    public var survivesStatementErrors = true
    /// Whether a reader can read the database as it is after each commit: while the writer is held, nothing
    /// else can be committed.
    public var readsEachCommit = true
    /// The features that the library lacks, each with the first version that has it, such as `SQLite 3.35.0`.
    public var missingFeatures: [LibraryFeature: String] = [:]

    /// Creates the capabilities of a connection without any optional features.
    public init(libraryVersion: String) {
        self.libraryVersion = libraryVersion
    }

    /// Returns the message for a missing feature: its name, the required version, and the library's.
    package func messageOfMissing(_ feature: LibraryFeature) -> String {
        let needed = missingFeatures[feature].map { " needs \($0) or later" } ?? " is not supported"
        return "\(feature)\(needed), and the library is version \(libraryVersion)"
    }
}
