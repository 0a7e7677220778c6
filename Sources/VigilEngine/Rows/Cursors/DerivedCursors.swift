import VigilStorage

/// A cursor over pairs of an index and an element, returned by ``Cursor/enumerated()``.
public final class EnumeratedCursor<Base: Cursor>: Cursor {
    private let base: Base
    private var count = 0

    init(_ base: Base) {
        self.base = base
    }

    /// Returns the next pair, or `nil` after the last one.
    public func next() throws -> (Int, Base.Element)? {
        guard let element = try base.next() else { return nil }
        defer { count += 1 }
        return (count, element)
    }

    /// Calls `body` with each remaining pair of an index and an element.
    public func forEach(_ body: ((Int, Base.Element)) throws -> Void) throws {
        try base.forEach { element in
            defer { count += 1 }
            try body((count, element))
        }
    }
}

/// A cursor over the elements that satisfy a predicate, returned by ``Cursor/filter(_:)``.
public final class FilterCursor<Base: Cursor>: Cursor {
    private let base: Base
    private let isIncluded: (Base.Element) throws -> Bool

    init(_ base: Base, _ isIncluded: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.isIncluded = isIncluded
    }

    /// Returns the next element that satisfies the predicate, or `nil` after the last one.
    public func next() throws -> Base.Element? {
        while let element = try base.next() {
            if try isIncluded(element) { return element }
        }
        return nil
    }

    /// Calls `body` with each remaining element that satisfies the predicate.
    public func forEach(_ body: (Base.Element) throws -> Void) throws {
        try base.forEach { element in
            if try isIncluded(element) { try body(element) }
        }
    }
}

/// A cursor over transformed elements, returned by ``Cursor/map(_:)``.
public final class MapCursor<Base: Cursor, Element>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline let transform: (Base.Element) throws -> Element

    init(_ base: Base, _ transform: @escaping (Base.Element) throws -> Element) {
        self.base = base
        self.transform = transform
    }

    /// Returns the next transformed element, or `nil` after the last one.
    @inlinable  // bench: decode-rows
    public func next() throws -> Element? {
        guard let element = try base.next() else { return nil }
        return try transform(element)
    }

    /// Calls `body` with each remaining transformed element.
    @inlinable  // bench: decode-rows
    public func forEach(_ body: (Element) throws -> Void) throws {
        let transform = transform
        try base.forEach { try body(transform($0)) }
    }
}

/// A cursor over the elements of cursors, returned by `flatMap` and `joined`.
public final class FlattenCursor<Base: Cursor>: Cursor where Base.Element: Cursor {
    private let base: Base
    private var current: Base.Element?

    init(_ base: Base) {
        self.base = base
    }

    /// Returns the next element, or `nil` after the last one of the last cursor.
    public func next() throws -> Base.Element.Element? {
        while true {
            if let element = try current?.next() { return element }
            current = try base.next()
            if current == nil { return nil }
        }
    }
}

/// A cursor that skips a number of elements, returned by ``Cursor/dropFirst(_:)``.
public final class DropFirstCursor<Base: Cursor>: Cursor {
    private let base: Base
    private var rest: Int

    init(_ base: Base, _ count: Int) {
        trap(unless: count >= 0, "the number of elements must not be negative")
        self.base = base
        rest = count
    }

    /// Returns the next element, or `nil` after the last one.
    public func next() throws -> Base.Element? {
        while rest > 0 {
            // An error does not count as a skipped element.
            if try base.next() == nil { return nil }
            rest -= 1
        }
        return try base.next()
    }
}

/// A cursor that skips elements while they satisfy a predicate, returned by ``Cursor/drop(while:)``.
public final class DropWhileCursor<Base: Cursor>: Cursor {
    private let base: Base
    private let predicate: (Base.Element) throws -> Bool
    private var isDropping = true

    init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    /// Returns the next element, or `nil` after the last one.
    public func next() throws -> Base.Element? {
        while let element = try base.next() {
            if isDropping, try predicate(element) { continue }
            isDropping = false
            return element
        }
        return nil
    }
}

/// A cursor over a limited number of elements, returned by ``Cursor/prefix(_:)``.
public final class PrefixCursor<Base: Cursor>: Cursor {
    private let base: Base
    private var rest: Int

    init(_ base: Base, _ count: Int) {
        trap(unless: count >= 0, "the number of elements must not be negative")
        self.base = base
        rest = count
    }

    /// Returns the next element, or `nil` after the last one.
    public func next() throws -> Base.Element? {
        guard rest > 0 else { return nil }
        // An error does not count as an element: it is thrown again.
        let element = try base.next()
        rest -= 1
        return element
    }
}

/// A cursor over the first elements that satisfy a predicate, returned by ``Cursor/prefix(while:)``.
public final class PrefixWhileCursor<Base: Cursor>: Cursor {
    private let base: Base
    private let predicate: (Base.Element) throws -> Bool
    private var isOver = false

    init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    /// Returns the next element, or `nil` once an element did not satisfy the predicate.
    public func next() throws -> Base.Element? {
        guard !isOver else { return nil }
        if let element = try base.next(), try predicate(element) { return element }
        isOver = true
        return nil
    }
}
