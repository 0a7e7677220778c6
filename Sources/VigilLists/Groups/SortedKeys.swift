import VigilStorage

/// Keys in ascending order, each once. They are edited in place, unlike the keys of a list with versions.
///
/// An array of blocks, each with the keys up to the first one of the next block. A block is found by the
/// beginning of its first key, without reading others: 1,000,000 keys have 160 kB of beginnings.
struct SortedKeys: Sendable {
    /// The greatest number of keys of a block, and the number of keys of a block after they were added in
    /// order.
    private static let blockSize = 64
    private static let filledSize = 48
    /// Blocks of fewer keys are joined with a neighbour.
    private static let leastSize = filledSize / 2

    /// None is empty.
    private var blocks: [KeyBlock] = []
    /// For each block, the first 8 bytes of its first key, or of a key that was removed before it or replaced
    /// by it, as a number. The keys of the block before have no greater ones, except behind the bytes that
    /// identify a key.
    private var beginnings: [UInt64] = []
    private(set) var count = 0
    /// The memory of the keys, roughly.
    private(set) var byteCount = 0

    /// The memory of a key beside its bytes: its end, and its part of the arrays.
    private static let entryByteCount = 8

    // MARK: - Edits

    /// Removes the first key beginning with a prefix, perhaps all of it.
    mutating func remove(beginningWith prefix: UnsafeRawBufferPointer) {
        let (block, index) = place(of: prefix)
        guard block < blocks.count else { return }
        let length = blocks[block].withKey(at: index) { $0.begins(with: prefix) ? $0.count : nil }
        guard let length else { return }
        blocks[block].remove(at: index)
        didChange(length, sign: -1)
        if blocks[block].count < Self.leastSize { join(block) }
    }

    /// Inserts a key, unless it is present.
    mutating func insert(_ key: UnsafeRawBufferPointer) {
        guard let block = block(for: key) else { return append(key) }
        let (index, isEqual) = blocks[block].lowerBound(of: key)
        if isEqual { return }
        blocks[block].insert(key, at: index)
        didChange(key.count, sign: 1)
        if blocks[block].count > Self.blockSize { split(block) }
    }

    /// Replaces the only key beginning with a prefix by another one, which belongs to the same place.
    mutating func replace(beginningWith prefix: UnsafeRawBufferPointer, by key: UnsafeRawBufferPointer) {
        let (block, index) = place(of: prefix)
        let length =
            block < blocks.count
            ? blocks[block].withKey(at: index) { $0.begins(with: prefix) ? $0.count : nil } : nil
        guard let length else { trap("the key to replace is missing") }
        blocks[block].replace(at: index, by: key)
        byteCount += key.count - length
    }

    /// Replaces keys by others.
    ///
    /// - Parameter identityLength: the length of the beginning that no two keys share; `nil` if they may.
    mutating func replace(_ removed: KeyList, by added: KeyList, identityLength: Int?) {
        removed.withKeys { removed in
            added.withKeys { added in
                let isUpdate = removed.count == added.count && removed.count > 0
                if let identityLength, isUpdate,
                    (0..<added.count).allSatisfy({
                        removed[$0].begins(
                            with: UnsafeRawBufferPointer(rebasing: added[$0][..<identityLength]))
                    })
                {
                    for index in 0..<added.count { replace(beginningWith: removed[index], by: added[index]) }
                    return
                }
                for index in 0..<removed.count { remove(beginningWith: removed[index]) }
                for index in 0..<added.count { insert(added[index]) }
            }
        }
    }

    /// Inserts keys, in any order.
    mutating func insert(_ keys: KeyList) {
        let order = count == 0 ? keys.ascendingIndices() : nil
        keys.withKeys { keys in
            if count > 0 {
                for index in 0..<keys.count { insert(keys[index]) }
            } else if let order {
                for index in order { append(keys[index]) }
            } else {
                for index in 0..<keys.count { append(keys[index]) }
            }
        }
    }

    /// Adds a key after all others.
    private mutating func append(_ key: UnsafeRawBufferPointer) {
        if blocks.last.map({ $0.count >= Self.filledSize }) ?? true {
            // The keys of a list have similar lengths.
            blocks.append(KeyBlock(byteCount: blocks.last?.bytes.count ?? Self.filledSize * key.count))
            beginnings.append(Self.beginning(of: key))
        }
        blocks[blocks.count - 1].append(key)
        count += 1
        byteCount += key.count + Self.entryByteCount
    }

    private mutating func didChange(_ length: Int, sign: Int) {
        count += sign
        byteCount += sign * (length + Self.entryByteCount)
    }

    private mutating func split(_ block: Int) {
        let (upper, middle) = (blocks[block].count, blocks[block].count / 2)
        var (low, high) = (KeyBlock.empty, KeyBlock.empty)
        low.append(blocks[block], 0..<middle)
        high.append(blocks[block], middle..<upper)
        blocks[block] = low
        blocks.insert(high, at: block + 1)
        beginnings.insert(high.withKey(at: 0) { Self.beginning(of: $0) }, at: block + 1)
    }

    /// Joins a small block with a neighbour, unless both are too large.
    private mutating func join(_ block: Int) {
        if blocks[block].count > 0 {
            let first = block + 1 < blocks.count ? block : block - 1
            guard first >= 0, blocks[first].count + blocks[first + 1].count <= Self.filledSize else { return }
            blocks[first].append(blocks[first + 1], 0..<blocks[first + 1].count)
            blocks.remove(at: first + 1)
            beginnings.remove(at: first + 1)
        } else {
            blocks.remove(at: block)
            beginnings.remove(at: block)
        }
    }

    // MARK: - Searches

    /// Returns a number with the order of the keys: a greater key has no smaller number.
    private static func beginning(of key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
        return key.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - key.count))
    }

    /// Returns the last block with a first key not above a key, or else the first block; `nil` without keys.
    private func block(for key: UnsafeRawBufferPointer) -> Int? {
        if blocks.isEmpty { return nil }
        let beginning = Self.beginning(of: key)
        var (low, high) = (0, blocks.count)
        while low < high {
            let middle = (low + high) / 2
            let other = beginnings[middle]
            let isAbove =
                other == beginning
                ? blocks[middle].withKey(at: 0) { compareBytes($0, key) > 0 } : other > beginning
            if isAbove { high = middle } else { low = middle + 1 }
        }
        return max(0, low - 1)
    }

    private typealias Place = (block: Int, index: Int)

    /// Returns the place of the first key equal to or above another one.
    private func place(of key: UnsafeRawBufferPointer) -> Place {
        guard let block = block(for: key) else { return (0, 0) }
        let index = blocks[block].lowerBound(of: key).index
        return index < blocks[block].count ? (block, index) : (block + 1, 0)
    }

    /// Calls `body` with the keys from a place on, until it returns `false`.
    private func forEachKey(from start: Place, _ body: (UnsafeRawBufferPointer) -> Bool) {
        var (block, index) = start
        while block < blocks.count, blocks[block].forEach(from: index, body) {
            (block, index) = (block + 1, 0)
        }
    }

    /// Calls `body` with the keys beginning with a prefix, in ascending order.
    func forEachKey(beginningWith prefix: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        forEachKey(from: place(of: prefix)) { key in
            guard key.begins(with: prefix) else { return false }
            body(key)
            return true
        }
    }

    /// Calls `body` with the first key beginning with a prefix, if any.
    func withFirstKey<Result>(
        beginningWith prefix: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        let (block, index) = place(of: prefix)
        guard block < blocks.count else { return nil }
        return blocks[block].withKey(at: index) { $0.begins(with: prefix) ? body($0) : nil }
    }

    /// Calls `body` with the last key beginning with a prefix, if any.
    func withLastKey<Result>(
        beginningWith prefix: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        var (block, index) = (blocks.count, 0)
        // No key is greater than one beginning with the greatest bytes.
        if let last = prefix.lastIndex(where: { $0 != 0xff }) {
            var successor = Array(prefix[...last])
            successor[last] += 1
            (block, index) = successor.withUnsafeBytes { place(of: $0) }
        }
        if index == 0 {
            block -= 1
            guard block >= 0 else { return nil }
            index = blocks[block].count
        }
        return blocks[block].withKey(at: index - 1) { $0.begins(with: prefix) ? body($0) : nil }
    }

    /// Calls `body` with some keys, in ascending order.
    func forEachKey(offset: Int = 0, limit: Int = .max, _ body: (UnsafeRawBufferPointer) -> Void) {
        var (block, index, rest) = (0, offset, limit)
        while block < blocks.count, index >= blocks[block].count {
            index -= blocks[block].count
            block += 1
        }
        guard rest > 0 else { return }
        forEachKey(from: (block, index)) { key in
            body(key)
            rest -= 1
            return rest > 0
        }
    }
}
