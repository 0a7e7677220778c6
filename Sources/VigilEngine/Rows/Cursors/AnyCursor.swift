/// A type-erased cursor.
///
/// ```swift
/// let names = AnyCursor(try String.fetchCursor(db, sql: "SELECT name FROM player"))
/// ```
public final class AnyCursor<Element>: Cursor {
    private let body: () throws -> Element?
    private let forEachElement: ((Element) throws -> Void) throws -> Void

    /// Creates a cursor over the elements of another cursor.
    public init<C: Cursor>(_ base: C) where C.Element == Element {
        body = base.next
        forEachElement = base.forEach
    }

    /// Creates a cursor over the elements of an iterator.
    public convenience init(iterator: some IteratorProtocol<Element>) {
        var iterator = iterator
        self.init { iterator.next() }
    }

    /// Creates a cursor over the elements of a sequence.
    public convenience init(_ sequence: some Sequence<Element>) {
        self.init(iterator: sequence.makeIterator())
    }

    /// Creates a cursor over the values that a closure returns, until it returns `nil`.
    public init(_ next: @escaping () throws -> Element?) {
        body = next
        forEachElement = { body in
            while let element = try next() { try body(element) }
        }
    }

    /// Returns the next element; `nil` after the last. Throws the error of the wrapped cursor or closure.
    public func next() throws -> Element? { try body() }

    /// Calls `body` with each remaining element. Throws the error of the wrapped cursor, or of `body`.
    public func forEach(_ body: (Element) throws -> Void) throws { try forEachElement(body) }
}
