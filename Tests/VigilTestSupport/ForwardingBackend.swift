package import VigilStorage

/// A backend that forwards everything to another one, except what it implements itself.
package protocol ForwardingBackend: StorageBackend {
    var base: any StorageBackend { get }
}

extension ForwardingBackend {
    package var name: String { base.name }

    package func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        try base.open(location, options: options)
    }

    package func watchForeignChanges(
        of location: StorageLocation, onHint: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        try base.watchForeignChanges(of: location, onHint: onHint)
    }
}
