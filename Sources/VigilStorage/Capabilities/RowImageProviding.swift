/// A connection that reports row images only where it is asked to, because they cost something.
///
/// Connections that report them everywhere (``StorageCapabilities/reportsRowImages``) need not be asked, and take no
/// notice.
public protocol RowImageProviding: StorageConnection {
    /// From the next transaction on, row changes of these tables come with their images where that is sound; those of
    /// other tables need not.
    ///
    /// It changes nothing else about what is reported, and nothing about the schema that others see. A change may come
    /// without images all the same: the receiver must know what to do then.
    func provideRowImages(of tables: Set<TableName>)
}
