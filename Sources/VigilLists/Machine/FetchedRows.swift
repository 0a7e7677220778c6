package import VigilStorage

/// The rows of a fetch, with their places in the list.
///
/// Not copyable, because a list takes the elements.
package struct FetchedRows: ~Copyable {
    let elements: any FetchedElements
    private let slots: ElementSlots
    /// The order key of each element; empty if the list is not followed.
    private var buffer = KeyBuffer()
    /// Why the keys cannot be used.
    private(set) var failure: SortKeyFailure?
    private(set) var encoder: SortKeyEncoder
    private let shape: ListShape?

    init(_ elements: any FetchedElements, shape: ListShape?, encoder: SortKeyEncoder) {
        self.elements = elements
        slots = elements.slots
        self.shape = shape
        self.encoder = encoder
    }

    package var count: Int { elements.count }

    /// The number of cells needed for the key of each row.
    package var cellCount: Int { failure == nil ? shape?.cellCount ?? 0 : 0 }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - element: the element, of the type of the list's elements.
    ///   - cells: the row ids in all sources, then the values of all sort terms. Not read if ``cellCount`` is
    ///     0; may be `nil` if the list is not followed.
    package mutating func append<Element: Sendable>(
        _ element: consuming Element, cells: UnsafePointer<StorageCell>? = nil
    ) {
        let slot = Unmanaged.passUnretained(slots)._withUnsafeGuaranteedRef { $0.next(for: Element.self) }
        slot.initialize(to: element)
        append(cells)
    }

    private mutating func append(_ cells: UnsafePointer<StorageCell>?) {
        guard let shape, failure == nil else { return }
        guard let cells else {
            trap("a row of a followed list needs the values that decide its place")
        }
        // Retaining the shape for each row would take a tenth of the time of its key.
        Unmanaged.passUnretained(shape)._withUnsafeGuaranteedRef { shape in
            let values = cells + shape.sources.count
            guard let length = encoder.byteCount(of: values) else { return failure = .tooLong }
            var key = buffer.begin(ofAtMost: length + shape.idLength)
            failure = encoder.write(values, to: &key) ?? shape.write(rowIDs: cells, to: &key)
            if key.count > SortKeyEncoder.lengthLimit { failure = .tooLong }
            buffer.end(key)
        }
    }

    /// A copy of the order key of each element; empty if the list is not followed.
    var keys: KeyList { buffer.list }

    /// Calls `body` with the order key of each element. The keys are valid until it returns.
    func withKeys<Result>(_ body: (KeyPointers) -> Result) -> Result { buffer.withKeys(body) }

    /// Sorts the rows in the order of the list. Rows with equal sort values can arrive in any order.
    ///
    /// - Returns: the indices of the rows in order; `nil` if they are already in order.
    func listOrder() throws(UnfollowedReason) -> [Int]? {
        guard let shape, !buffer.withKeys({ $0.ascend }) else { return nil }
        var indices: [Int] = []
        var start = 0
        while start < buffer.count {
            var end = start + 1
            var ascends = true
            while end < buffer.count {
                let order = order(of: end - 1, and: end, shape.idLength)
                guard order.terms <= 0 else { throw .order(row: end) }
                if order.terms < 0 { break }
                if order.keys == 0 { throw .repeatedRow }
                if order.keys > 0 { ascends = false }
                end += 1
            }
            if !ascends { try sort(start..<end, in: &indices) }
            start = end
        }
        return indices.isEmpty ? nil : indices
    }

    /// Compares two successive keys with and without their row ids.
    private func order(of a: Int, and b: Int, _ idLength: Int) -> (terms: Int, keys: Int) {
        buffer.withKeys { keys in
            let (one, two) = (keys[a], keys[b])
            let terms = compareBytes(
                UnsafeRawBufferPointer(start: one.baseAddress, count: one.count - idLength),
                UnsafeRawBufferPointer(start: two.baseAddress, count: two.count - idLength))
            return (terms, terms == 0 ? compareBytes(one, two) : terms)
        }
    }

    private func sort(_ range: Range<Int>, in indices: inout [Int]) throws(UnfollowedReason) {
        let sorted = buffer.withKeys { keys in
            range.sorted { compareBytes(keys[$0], keys[$1]) < 0 }
        }
        let isRepeated = buffer.withKeys { keys in
            zip(sorted, sorted.dropFirst()).contains { compareBytes(keys[$0], keys[$1]) == 0 }
        }
        if isRepeated { throw .repeatedRow }
        if indices.isEmpty { indices = Array(0..<buffer.count) }
        indices.replaceSubrange(range, with: sorted)
    }
}
