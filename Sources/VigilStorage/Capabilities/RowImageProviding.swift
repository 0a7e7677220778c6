/// A connection that provides row images on request, for backends where they are expensive.
///
/// A connection that provides them with every change (``StorageCapabilities/reportsRowImages``) does not need this
/// protocol, and ignores the request if it conforms.
public protocol RowImageProviding: StorageConnection {
    /// Sets the tables whose row changes need ``RowChange/images``, from the next transaction on.
    ///
    /// A change may still arrive without images if the backend cannot provide correct ones; sinks must expect
    /// that. Otherwise the request has no visible effect: the same changes are reported, and the schema looks
    /// the same.
    ///
    /// - Parameter tables: the tables, which replace those of earlier calls. Rows of other tables need no images.
    func provideRowImages(of tables: Set<TableName>)
}
