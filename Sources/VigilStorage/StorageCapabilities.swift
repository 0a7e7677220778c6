/// What a connection can do beyond the least that every backend must.
///
/// Everything above the backends asks here, at run time, and gets by without.
public struct StorageCapabilities: Sendable, Hashable {
    /// The library behind the connection, such as `3.40.1`.
    public var libraryVersion: String
    /// The encryption library, such as `4.5.6 community`; `nil` if the connection cannot encrypt.
    public var cipherVersion: String?
    /// Row changes come with the old and new values of the row (``RowChange/images``).
    public var reportsRowImages = false
    /// Every row change is reported as such. Otherwise some are reported as ``ChangeEvent/table(_:)``.
    public var reportsEveryRow = false
    /// Readers on other connections see a steady snapshot while this one writes.
    public var allowsConcurrentReaders = false
    /// ``StorageConnection/foreignChangeToken()`` answers.
    public var hasForeignChangeToken = false
    /// A compact copy of the database can be written to a file (`VACUUM INTO`).
    public var vacuumsIntoFiles = false

    public init(libraryVersion: String) {
        self.libraryVersion = libraryVersion
    }
}
