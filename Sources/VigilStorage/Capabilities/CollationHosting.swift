/// A connection that can sort text as the program does.
public protocol CollationHosting: StorageConnection {
    /// Adds a collation, or replaces the one of the same name.
    ///
    /// - Throws: ``StorageError/Code/busy`` if a running statement uses the one that is to be replaced.
    func add(_ collation: StorageCollation) throws(StorageError)

    /// Removes a collation. Statements that need it fail from then on; there need not be one.
    func removeCollation(named name: String) throws(StorageError)
}

/// An order of texts.
public struct StorageCollation {
    public var name: String
    /// Negative if the first text comes before the second, positive if after, 0 if they are equal. It must not
    /// change as long as anything is stored in this order.
    public var compare: (String, String) -> Int

    public init(name: String, compare: @escaping (String, String) -> Int) {
        self.name = name
        self.compare = compare
    }
}
