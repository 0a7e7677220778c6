/// A lazy sequence that reads from the database as it goes, and may fail as it goes.
///
/// ```swift
/// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
/// while let name = try names.next() {
///     print(name)
/// }
/// ```
///
/// A cursor can be iterated once, and only inside the access that made it. Make an array or a set of it to keep
/// what it reads: `try Array(names)`.
public protocol Cursor<Element>: AnyObject {
    associatedtype Element

    /// The next element; `nil` after the last.
    func next() throws -> Element?

    /// Calls `body` with each element that is left.
    ///
    /// A cursor can implement it if it knows a faster way than to call ``next()`` for each element. Collections that are
    /// made of a cursor, and cursors such as ``map(_:)`` and ``filter(_:)``, use it.
    func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
    /// Calls `body` with each element that is left.
    ///
    /// The implementation for cursors without one of their own.
    @inlinable  // bench: decode-rows
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() { try body(element) }
    }
}
