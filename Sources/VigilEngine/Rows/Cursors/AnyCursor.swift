/// A cursor whose kind is hidden.
public final class AnyCursor<Element>: Cursor {
    private let body: () throws -> Element?

    /// The elements of another cursor.
    public init<C: Cursor>(_ base: C) where C.Element == Element {
        body = base.next
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
    }

    public func next() throws -> Element? { try body() }
}
