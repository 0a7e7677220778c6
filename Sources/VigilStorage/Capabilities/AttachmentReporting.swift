/// A connection that can use further databases besides its own.
///
/// Its ``StorageConnection/foreignChangeToken()`` also changes with the commits of other connections to these databases.
package protocol AttachmentReporting: StorageConnection {
    /// Returns the locations of the attached databases that other connections can open; none for those in memory.
    ///
    /// - Throws: ``StorageError`` if they cannot be determined.
    func attachedLocations() throws(StorageError) -> [StorageLocation]
}
