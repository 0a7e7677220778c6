/// The abilities of a connection beyond the minimum that every backend must provide.
///
/// ```swift
/// var capabilities = StorageCapabilities(libraryVersion: "3.40.1")
/// capabilities.reportsRowImages = true
/// ```
///
/// The layers above read the capabilities at run time, and manage without those that are missing. A capability
/// is a promise that the contract checks: declare it only if it always holds. Features with functions of their
/// own, such as ``FunctionHosting``, are protocols that a connection conforms to.
public struct StorageCapabilities: Sendable, Hashable {
    /// The version of the library behind the connection, such as `3.40.1`.
    public var libraryVersion: String
    /// The version of the encryption library, such as `4.5.6 community`; `nil` if the connection does not encrypt.
    public var cipherVersion: String?
    /// Whether every row change is reported with the old and new values of the row, see ``RowChange/images``.
    public var reportsRowImages = false
    /// Whether each changed row is reported separately with ``ChangeInterest/everyRow``, including rows deleted
    /// by REPLACE and by a DELETE without WHERE. If not, some changes are reported as
    /// ``ChangeEvent/table(_:)``.
    public var reportsEveryRow = false
    /// Whether other connections can read a stable snapshot while this one writes and commits.
    ///
    /// A `DatabasePool` depends on it for concurrent reads.
    public var allowsConcurrentReaders = false
    /// Whether ``StorageConnection/foreignChangeToken()`` returns a token.
    public var hasForeignChangeToken = false
    /// The features that the library lacks, each with the first version that has it, such as `SQLite 3.35.0`.
    public var missingFeatures: [LibraryFeature: String] = [:]

    /// Creates the capabilities of a connection without any optional features.
    public init(libraryVersion: String) {
        self.libraryVersion = libraryVersion
    }

    /// Returns the message for a feature of ``missingFeatures``: its name, the version that it needs, and the
    /// version of the library.
    package func messageOfMissing(_ feature: LibraryFeature) -> String {
        let needed = missingFeatures[feature].map { " needs \($0) or later" } ?? " is not supported"
        return "\(feature)\(needed), and the library is version \(libraryVersion)"
    }
}
