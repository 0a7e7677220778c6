public import VigilStorage

/// The rows of a request at one moment, in their order.
///
/// A list is a value, and a collection with integer indices. Copies are cheap, and versions of one list share
/// all unchanged parts. A list compares itself with an earlier version on request:
///
/// ```swift
/// let change = players.changes(since: shown)
/// print(change.inserted, change.moved)
/// ```
///
/// Reading an element takes O(log *n*), and iterating over all elements O(*n*).
public struct ObservedList<Element: Sendable>: Sendable {
    @usableFromInline let version: ListVersion?

    /// Creates an empty list, for example for a screen before its first value.
    public init() { version = nil }

    /// Creates a list from a version with elements of this type.
    package init(_ version: ListVersion?) { self.version = version }

    /// Creates a list not followed row by row.
    package init(_ elements: [Element], traits: ElementTraits<Element>) {
        let buffer = ElementBuffer(traits)
        for element in elements { buffer.append(element) }
        version = ListVersion(buffer, traits)
    }

    /// Returns the identity of a row: its row ids in all tables, or its index if the list is not followed.
    public func identity(at index: Int) -> RowIdentity {
        trap(unless: index >= 0 && index < count, "index out of range")
        return version?.identity(at: index) ?? RowIdentity(.position(index))
    }
}

extension ObservedList: RandomAccessCollection {
    /// The index of the first element, 0.
    @inlinable  // bench: list-subscript
    public var startIndex: Int { 0 }
    /// The number of elements.
    @inlinable  // bench: list-subscript
    public var endIndex: Int { version?.root?.count ?? 0 }
    /// The number of elements.
    @inlinable  // bench: list-subscript
    public var count: Int { endIndex }

    /// The element at an index.
    @inlinable  // bench: list-subscript
    public subscript(index: Int) -> Element {
        guard index >= 0, let root = version?.root, index < root.count else {
            trap("index out of range")
        }
        defer { withExtendedLifetime(version) {} }
        let (leaf, place) = root.leaf(at: index)
        return leaf._withUnsafeGuaranteedRef { leaf in
            leaf.withElements(of: Element.self) { $0[place] }
        }
    }

    /// Returns an iterator over the elements.
    @inlinable  // bench: list-iterate
    public func makeIterator() -> Iterator { Iterator(root: version?.root) }

    /// An iterator over the elements of a list.
    public struct Iterator: IteratorProtocol {
        /// Keeps all nodes alive.
        @usableFromInline let root: ListNode?
        @usableFromInline let count: Int
        /// The branch of the current leaf, or the root if it is a leaf.
        @usableFromInline var branch: Unmanaged<ListNode>?
        /// The index of the current leaf in the branch.
        @usableFromInline var child = 0
        /// The elements of the current leaf.
        @usableFromInline var elements = UnsafeBufferPointer<Element>(start: nil, count: 0)
        @usableFromInline var index = 0
        /// The number of elements up to the end of the current leaf.
        @usableFromInline var end = 0

        @usableFromInline init(root: ListNode?) {
            self.root = root
            count = root?.count ?? 0
        }

        /// Returns the next element; `nil` at the end.
        @inlinable  // bench: list-iterate
        public mutating func next() -> Element? {
            // The memory of the elements belongs to the nodes.
            defer { withExtendedLifetime(root) {} }
            if index == elements.count, !loadNextLeaf() { return nil }
            defer { index += 1 }
            return elements[index]
        }

        @inlinable  // bench: list-iterate
        mutating func loadNextLeaf() -> Bool {
            guard end < count else { return false }
            defer { withExtendedLifetime(root) {} }
            child += 1
            let siblings = branch?._withUnsafeGuaranteedRef { $0.children.count } ?? 0
            if child >= siblings { enterNextBranch() }
            guard let branch else { return false }
            // Retaining nodes would take most of the time.
            elements = branch._withUnsafeGuaranteedRef { [child] branch in
                let leaf: Unmanaged<ListNode> =
                    branch.children.isEmpty
                    ? .passUnretained(branch) : .passUnretained(branch.children[child])
                return leaf._withUnsafeGuaranteedRef { $0.withElements(of: Element.self) { $0 } }
            }
            end += elements.count
            index = 0
            return true
        }

        @usableFromInline mutating func enterNextBranch() {
            if let root { (branch, child) = root.lowestBranch(at: end) }
        }
    }
}

extension ObservedList: Equatable where Element: Equatable {
    /// Returns whether two lists have equal elements in the same order. Skips shared parts.
    public static func == (a: ObservedList, b: ObservedList) -> Bool {
        if a.version === b.version { return true }
        if a.count != b.count { return false }
        guard let one = a.version?.root, let two = b.version?.root else { return true }
        defer { withExtendedLifetime((one, two)) {} }
        var pair = NodePair(one, two)
        while pair.skipShared() {
            let equalCount = pair.old.withLeaf { leaf, start in
                pair.new.withLeaf { other, otherStart in
                    leaf.withElements(of: Element.self) { elements in
                        other.withElements(of: Element.self) { others -> Int? in
                            let length = Swift.min(elements.count - start, others.count - otherStart)
                            let areEqual = (0..<length).allSatisfy {
                                elements[start + $0] == others[otherStart + $0]
                            }
                            return areEqual ? length : nil
                        }
                    }
                }
            }
            guard let equalCount else { return false }
            pair.old.index += equalCount
            pair.new.index += equalCount
        }
        return true
    }
}

/// The identity of a row in all versions of a list. It does not change while the row changes.
public struct RowIdentity: Hashable, Sendable {
    enum Storage: Hashable, Sendable {
        case rowID(Int64)
        /// The row id in each table of a join; `nil` for a missing row.
        case rowIDs([Int64?])
        case position(Int)
    }

    let storage: Storage

    init(_ storage: Storage) { self.storage = storage }
}
