import VigilStorage

/// The keys of a node, in ascending order, in one array of bytes.
package struct KeyBlock: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The end of each key in ``bytes``; empty if all keys have the same length.
    private(set) var ends: [UInt32] = []
    /// The length of the first key, which is the length of all keys if ``ends`` is empty.
    private(set) var length = 0
    package private(set) var count = 0

    static let empty = KeyBlock(byteCount: 0)

    init(byteCount: Int) { bytes.reserveCapacity(byteCount) }

    @inline(__always)  // bench: list-update
    func range(at index: Int) -> Range<Int> {
        if ends.isEmpty { return index * length..<(index + 1) * length }
        return (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])
    }

    @inline(__always)  // bench: list-update
    func withKey<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range(at: index)])) }
    }

    /// Returns the index of the first key equal to or above another one, and whether it is equal.
    func lowerBound(
        of key: UnsafeRawBufferPointer, from start: Int = 0
    ) -> (index: Int, isEqual: Bool) {
        bytes.withUnsafeBytes { bytes in
            var low = start
            var high = count
            while low < high {
                let middle = (low + high) / 2
                let order = compareBytes(UnsafeRawBufferPointer(rebasing: bytes[range(at: middle)]), key)
                if order == 0 { return (middle, true) }
                if order < 0 { low = middle + 1 } else { high = middle }
            }
            return (low, false)
        }
    }

    /// Returns the first keys of children after some children were replaced.
    func replacing(_ replacements: [ListNode.ReplacedChild]) -> KeyBlock {
        var block = KeyBlock(byteCount: bytes.count + replacements.count * (length + 16))
        var next = 0
        for (index, node) in replacements {
            block.append(self, next..<index)
            node.keys.withKey(at: 0) { block.append($0) }
            next = index + 1
        }
        block.append(self, next..<count)
        return block
    }

    func inserting(_ key: UnsafeRawBufferPointer, at index: Int) -> KeyBlock {
        var block = KeyBlock(byteCount: bytes.count + key.count)
        block.append(self, 0..<index)
        block.append(key)
        block.append(self, index..<count)
        return block
    }

    func removing(at index: Int) -> KeyBlock {
        var block = KeyBlock(byteCount: bytes.count)
        block.append(self, 0..<index)
        block.append(self, index + 1..<count)
        return block
    }

    /// Calls `body` with each key from an index on, until it returns `false`. Returns `true` if it never did.
    func forEach(from start: Int, _ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        bytes.withUnsafeBytes { bytes in
            (start..<count).allSatisfy { body(UnsafeRawBufferPointer(rebasing: bytes[range(at: $0)])) }
        }
    }

    /// Returns the number of successive keys shared by two blocks; 0 if the keys have different lengths.
    func countOfKeys(from start: Int, sharedWith other: KeyBlock, from otherStart: Int) -> Int {
        guard ends.isEmpty, other.ends.isEmpty, length == other.length, length > 0 else { return 0 }
        let limit = min(count - start, other.count - otherStart)
        return bytes.withUnsafeBytes { bytes in
            other.bytes.withUnsafeBytes { others in
                let keys = UnsafeRawBufferPointer(rebasing: bytes[(start * length)...])
                let otherKeys = UnsafeRawBufferPointer(rebasing: others[(otherStart * length)...])
                return commonPrefix(keys, otherKeys, limit: limit * length) / length
            }
        }
    }

    /// Returns the index of the child for a key. The block contains the first keys of children.
    func child(containing key: UnsafeRawBufferPointer, from start: Int = 0) -> Int {
        let (index, isEqual) = lowerBound(of: key, from: start)
        return isEqual ? index : max(start, index - 1)
    }
}

extension KeyBlock {
    private var isUniform: Bool { ends.isEmpty }

    mutating func append(_ key: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: key)
        didAppend(length: key.count)
    }

    private mutating func didAppend(length newLength: Int) {
        if count == 0 { length = newLength }
        let staysUniform = isUniform && newLength == length
        if !staysUniform { storeEnds() }
        count += 1
        if !staysUniform { ends.append(UInt32(bytes.count)) }
    }

    /// Inserts a key, in place.
    mutating func insert(_ key: UnsafeRawBufferPointer, at index: Int) {
        guard index < count else { return append(key) }
        let offset = range(at: index).lowerBound
        let size = bytes.count + key.count
        // An array doubles its memory otherwise.
        if bytes.capacity < size { bytes.reserveCapacity(size + size / 8) }
        bytes.insert(contentsOf: key, at: offset)
        let staysUniform = isUniform && key.count == length
        if !staysUniform { storeEnds() }
        count += 1
        if staysUniform { return }
        ends.insert(UInt32(offset), at: index)
        for place in index..<count { ends[place] += UInt32(key.count) }
        if index == 0 { length = key.count }
    }

    /// Removes a key, in place.
    mutating func remove(at index: Int) {
        let removed = range(at: index)
        bytes.removeSubrange(removed)
        count -= 1
        if isUniform { return }
        ends.remove(at: index)
        for place in index..<count { ends[place] -= UInt32(removed.count) }
        if index == 0 { length = ends.first.map(Int.init) ?? 0 }
    }

    /// Replaces a key, in place.
    mutating func replace(at index: Int, by key: UnsafeRawBufferPointer) {
        let range = range(at: index)
        guard key.count == range.count else {
            remove(at: index)
            return insert(key, at: index)
        }
        bytes.withUnsafeMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[range]).copyMemory(from: key)
        }
    }

    /// Stores the end of each key, because the lengths differ.
    private mutating func storeEnds() {
        guard isUniform else { return }
        ends.reserveCapacity(64)
        for index in 0..<count { ends.append(UInt32((index + 1) * length)) }
    }

    mutating func append(_ keys: KeyPointers, _ range: Range<Int>) {
        guard let first = range.first, let last = range.last else { return }
        let start = keys.start(of: first)
        let before = bytes.count
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: keys.bytes[start..<keys.ends[last]]))
        if count == 0 { length = keys.ends[first] - start }
        let staysUniform =
            isUniform && range.allSatisfy { keys.ends[$0] - keys.start(of: $0) == length }
        if !staysUniform { storeEnds() }
        count += range.count
        if staysUniform { return }
        for index in range { ends.append(UInt32(before + keys.ends[index] - start)) }
    }

    mutating func append(_ block: KeyBlock, _ range: Range<Int>) {
        guard let first = range.first, let last = range.last else { return }
        let start = block.range(at: first).lowerBound
        let added = start..<block.range(at: last).upperBound
        let before = bytes.count
        if count == 0 { length = block.range(at: first).count }
        let staysUniform = isUniform && block.isUniform && block.length == length
        if !staysUniform { storeEnds() }
        block.bytes.withUnsafeBytes { bytes.append(contentsOf: $0[added]) }
        count += range.count
        if staysUniform { return }
        for index in range {
            ends.append(UInt32(before + block.range(at: index).upperBound - start))
        }
    }
}

/// Returns the number of equal bytes at the beginning, at most `limit`. Both buffers must have `limit` bytes.
private func commonPrefix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, limit: Int) -> Int {
    var index = 0
    while index + 8 <= limit,
        a.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            == b.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    { index += 8 }
    while index < limit, a[index] == b[index] { index += 1 }
    return index
}

extension UnsafeRawBufferPointer {
    func begins(with prefix: UnsafeRawBufferPointer) -> Bool {
        count >= prefix.count
            && compareBytes(UnsafeRawBufferPointer(rebasing: self[..<prefix.count]), prefix) == 0
    }
}
