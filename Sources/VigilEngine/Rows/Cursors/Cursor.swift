/// A lazy sequence whose iteration can fail, because it reads from the database.
///
/// ```swift
/// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
/// while let name = try names.next() {
///     print(name)
/// }
/// ```
///
/// A cursor can be iterated only once, and only inside the database access it was created in. To keep its
/// elements, create an array or a set: `try Array(names)`.
public protocol Cursor<Element>: AnyObject {
    /// The type of the elements.
    associatedtype Element

    /// Returns the next element, or `nil` after the last one.
    ///
    /// - Throws: `DatabaseError` if reading fails, ``RowDecodingError`` if a value cannot be converted, and
    ///   the errors of closures.
    func next() throws -> Element?

    /// Calls a closure with each remaining element.
    ///
    /// Implement this method if there is a faster way than calling ``next()`` for each element. Collections
    /// created from a cursor use it, and so do cursors such as ``map(_:)`` and ``filter(_:)``.
    ///
    /// - Throws: The error of the cursor, or that of `body`.
    func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
    /// Calls a closure with each remaining element. The default implementation.
    ///
    /// - Throws: The error of the cursor, or that of `body`.
    @inlinable  // bench: decode-rows
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() { try body(element) }
    }
}
