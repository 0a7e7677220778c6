import VigilStorage

/// The values of an argument in all groups, in order, to find the extreme and the distinct ones.
///
/// A key consists of the encoded group and value, the value itself, the row ids, and the lengths of the first
/// two parts. Equal values are neighbours, also if they are not identical.
struct ArgumentSet: Sendable {
    /// The index of the argument.
    let argument: Int
    let collation: SortTerm.Collation
    private(set) var keys = SortedKeys()
    private var encoder: SortKeyEncoder
    private let rowIDsLength: Int
    /// Whether the numbers of distinct values are needed.
    var countsDistinct = false
    /// Memory used again for each key.
    private var scratch: [UInt8] = []

    init(argument: Int, collation: SortTerm.Collation, rowIDsLength: Int, roundsLargeIntegers: Bool) {
        self.argument = argument
        self.collation = collation
        self.rowIDsLength = rowIDsLength
        encoder = SortKeyEncoder(
            terms: [SortTerm(collation: collation)], roundsLargeIntegers: roundsLargeIntegers)
    }

    /// Calls `body` with the key of a value, and with the part that equal values of the group share.
    private mutating func withKey<Result>(
        of cell: StorageCell, in group: [UInt8], rowIDs: UnsafeRawBufferPointer,
        _ body: (inout SortedKeys, _ key: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer) -> Result
    ) throws(GroupFailure) -> Result {
        scratch.removeAll(keepingCapacity: true)
        scratch += group
        let failure = withUnsafePointer(to: cell) { cell in
            encoder.append(UnsafeBufferPointer(start: cell, count: 1), to: &scratch)
        }
        if let failure { throw failure }
        let prefixLength = scratch.count
        PackedValues.append(cell, to: &scratch)
        scratch.append(contentsOf: rowIDs)
        for length in [group.count, prefixLength] {
            withUnsafeBytes(of: UInt32(length).bigEndian) { scratch.append(contentsOf: $0) }
        }
        return scratch.withUnsafeBytes { key in
            body(&keys, key, UnsafeRawBufferPointer(rebasing: key[..<prefixLength]))
        }
    }

    /// Adds or removes a value of a row. Returns whether the group then has one distinct value more or less,
    /// if their numbers are needed.
    mutating func change(
        _ cell: StorageCell, in group: [UInt8], _ rowIDs: UnsafeRawBufferPointer, isRemoval: Bool
    ) throws(GroupFailure) -> Bool {
        let countsDistinct = countsDistinct
        return try withKey(of: cell, in: group, rowIDs: rowIDs) { keys, key, prefix in
            if isRemoval { keys.remove(beginningWith: key) }
            let isOther = countsDistinct && keys.withFirstKey(beginningWith: prefix) { _ in } == nil
            if !isRemoval { keys.insert(key) }
            return isOther
        }
    }

    /// Appends the key of a value to a list of keys for ``fill(_:didFindValue:)``.
    mutating func append(
        _ cell: StorageCell, in group: [UInt8], _ rowIDs: UnsafeRawBufferPointer, to keys: inout KeyList
    ) throws(GroupFailure) {
        try withKey(of: cell, in: group, rowIDs: rowIDs) { _, key, _ in keys.append(key) }
    }

    /// Adds all keys to an empty set.
    ///
    /// - Parameter didFindValue: called with the group of each distinct value.
    mutating func fill(_ keys: KeyList, didFindValue: (ArraySlice<UInt8>) -> Void) {
        self.keys.insert(keys)
        var last: [UInt8] = []
        self.keys.forEachKey { key in
            let parts = KeyParts(key, rowIDsLength)
            let isRepeated = last.withUnsafeBytes { last in
                last.count == parts.prefix.count && compareBytes(last, parts.prefix) == 0
            }
            if isRepeated { return }
            last = Array(parts.prefix)
            didFindValue(last[..<parts.groupLength])
        }
    }

    /// Appends the smallest or greatest value of a group, packed; NULL without values. Returns `false` if it
    /// depends on the order of the rows which of several equal values the library returns.
    func appendExtreme(of group: [UInt8], isMaximum: Bool, to results: inout [UInt8]) -> Bool {
        let isKnown = group.withUnsafeBytes { group in
            withKey(beginningWith: group, isLast: isMaximum) { key in
                let parts = KeyParts(key, rowIDsLength)
                let isUnique = withKey(beginningWith: parts.prefix, isLast: !isMaximum) { other in
                    KeyParts(other, rowIDsLength).value.elementsEqual(parts.value)
                }
                guard isUnique == true else { return false }
                results.append(contentsOf: parts.value)
                return true
            }
        }
        if isKnown == nil { PackedValues.append(.null, to: &results) }
        return isKnown ?? true
    }

    private func withKey<Result>(
        beginningWith prefix: UnsafeRawBufferPointer, isLast: Bool, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        isLast
            ? keys.withLastKey(beginningWith: prefix, body)
            : keys.withFirstKey(beginningWith: prefix, body)
    }
}

/// The parts of a key.
private struct KeyParts {
    let groupLength: Int
    let prefix: UnsafeRawBufferPointer
    let value: UnsafeRawBufferPointer

    init(_ key: UnsafeRawBufferPointer, _ rowIDsLength: Int) {
        func length(at offset: Int) -> Int {
            Int(UInt32(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
        let end = key.count - 8
        groupLength = length(at: end)
        let prefixLength = length(at: end + 4)
        prefix = UnsafeRawBufferPointer(rebasing: key[..<prefixLength])
        value = UnsafeRawBufferPointer(rebasing: key[prefixLength..<(end - rowIDsLength)])
    }
}

extension SortKeyEncoder {
    /// Appends the encoded values of the first cells, one for each term.
    mutating func append(
        _ cells: UnsafeBufferPointer<StorageCell>, to bytes: inout [UInt8]
    ) -> GroupFailure? {
        guard let first = cells.baseAddress else { return nil }
        guard let length = byteCount(of: first) else { return .sortKey(.tooLong) }
        return KeyWriter.withWriter(ofAtMost: length) { key in
            let failure = write(first, to: &key)
            bytes.append(contentsOf: key.key)
            return failure.map { .sortKey($0) }
        }
    }
}
