/// A cursor whose kind is hidden.
public final class AnyCursor<Element>: Cursor {
    private let body: () throws -> Element?
    private let forEachElement: ((Element) throws -> Void) throws -> Void

    /// The elements of another cursor.
    public init<C: Cursor>(_ base: C) where C.Element == Element {
        body = base.next
        forEachElement = base.forEach
    }

    /// The elements of an iterator.
    public convenience init(iterator: some IteratorProtocol<Element>) {
        var iterator = iterator
        self.init { iterator.next() }
    }

    /// The elements of a sequence.
    public convenience init(_ sequence: some Sequence<Element>) {
        self.init(iterator: sequence.makeIterator())
    }

    /// The elements that a closure returns, until it returns `nil`.
    public init(_ next: @escaping () throws -> Element?) {
        body = next
        forEachElement = { body in
            while let element = try next() { try body(element) }
        }
    }

    public func next() throws -> Element? { try body() }

    public func forEach(_ body: (Element) throws -> Void) throws { try forEachElement(body) }
}
