package import VigilStorage

/// The rows of a fetch, with their places in the list.
///
/// Not copyable, because a list takes the elements.
package struct FetchedRows: ~Copyable {
    let elements: any FetchedElements
    /// The order key of each element; empty if the list is not followed.
    private(set) var keys = KeyList()
    /// Why the keys cannot be used.
    private(set) var doubt: SortKeyDoubt?
    private(set) var encoder: SortKeyEncoder
    private let shape: ListShape?

    init(_ elements: any FetchedElements, shape: ListShape?, encoder: SortKeyEncoder) {
        self.elements = elements
        self.shape = shape
        self.encoder = encoder
    }

    package var count: Int { elements.count }

    /// The number of hidden columns of each row.
    package var cellCount: Int { doubt == nil ? shape?.cellCount ?? 0 : 0 }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - element: the element, whose type must be that of the list.
    ///   - cells: the row ids in all sources, then the values of all sort terms. They are not read if ``cellCount`` is
    ///     0, and may be `nil` if the list is not followed.
    package mutating func append<Element: Sendable>(
        _ element: consuming Element, cells: UnsafePointer<StorageCell>? = nil
    ) {
        unsafeDowncast(elements, to: ElementBuffer<Element>.self).append(element)
        append(cells)
    }

    private mutating func append(_ cells: UnsafePointer<StorageCell>?) {
        guard let shape, doubt == nil else { return }
        guard let cells else { preconditionFailure("a row of a followed list needs its hidden columns") }
        // Few rows are fetched after most changes.
        if keys.count == 0 { keys.reserveCapacity(4, bytes: 128) }
        doubt = encoder.append(cells + shape.sources.count, to: &keys, moreBytes: shape.idLength) { key in
            shape.write(rowIDs: cells, to: &key)
        }
    }

    /// Brings the rows into the order of the list. Rows with equal sort values are in any order before.
    ///
    /// - Returns: the indices of the rows in order; `nil` if they are in order.
    func listOrder() throws(Disorder) -> [Int]? {
        guard let shape else { return nil }
        var indices: [Int] = []
        var start = 0
        while start < keys.count {
            var end = start + 1
            var ascends = true
            while end < keys.count {
                let order = order(of: end - 1, and: end, shape.idLength)
                guard order.terms <= 0 else { throw Disorder(reason: .order(row: end)) }
                if order.terms < 0 { break }
                if order.keys == 0 { throw Disorder(reason: .repeatedRow) }
                if order.keys > 0 { ascends = false }
                end += 1
            }
            if !ascends { try sort(start..<end, in: &indices) }
            start = end
        }
        return indices.isEmpty ? nil : indices
    }

    struct Disorder: Error {
        let reason: UnfollowedReason
    }

    /// Compares two successive keys with and without their row ids.
    private func order(of a: Int, and b: Int, _ idLength: Int) -> (terms: Int, keys: Int) {
        keys.withKeys { keys in
            let (one, two) = (keys[a], keys[b])
            let terms = compareBytes(
                UnsafeRawBufferPointer(start: one.baseAddress, count: one.count - idLength),
                UnsafeRawBufferPointer(start: two.baseAddress, count: two.count - idLength))
            return (terms, terms == 0 ? compareBytes(one, two) : terms)
        }
    }

    private func sort(_ range: Range<Int>, in indices: inout [Int]) throws(Disorder) {
        func order(_ a: Int, _ b: Int) -> Int {
            keys.withKey(at: a) { one in keys.withKey(at: b) { compareBytes(one, $0) } }
        }
        let sorted = range.sorted { order($0, $1) < 0 }
        for (a, b) in zip(sorted, sorted.dropFirst()) where order(a, b) == 0 {
            throw Disorder(reason: .repeatedRow)
        }
        if indices.isEmpty { indices = Array(0..<keys.count) }
        indices.replaceSubrange(range, with: sorted)
    }
}
