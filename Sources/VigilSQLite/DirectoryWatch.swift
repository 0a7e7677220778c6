package import VigilStorage

package enum DirectoryWatch {
    package static func start(for location: StorageLocation, onSign: @escaping @Sendable () -> Void)
        throws(StorageError) -> (any StorageWatch)?
    { nil }
}
