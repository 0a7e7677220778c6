/// A connection whose statements can compare text with functions of the program.
public protocol CollationHosting: StorageConnection {
    /// Adds a collation, or replaces the one of the same name.
    ///
    /// - Throws: ``StorageError/Code/busy`` if a running statement uses the collation that is to be replaced.
    func add(_ collation: StorageCollation) throws(StorageError)

    /// Removes a collation. Statements that need it fail from then on. Does nothing if it does not exist.
    func removeCollation(named name: String) throws(StorageError)
}

/// An ordering of text that the program defines.
///
/// ```swift
/// let length = StorageCollation(name: "length") { $0.utf8.count - $1.utf8.count }
/// ```
public struct StorageCollation {
    /// The name of the collation in SQL.
    public var name: String
    /// Returns a negative number if the first text comes before the second, a positive one if it comes after, 0
    /// if they are equal.
    ///
    /// Called on the thread that uses the connection, in the middle of a statement: it must not use the
    /// connection. The order must not change while an index that is sorted by it exists.
    public var compare: (String, String) -> Int

    /// Creates a collation.
    public init(name: String, compare: @escaping (String, String) -> Int) {
        self.name = name
        self.compare = compare
    }
}
