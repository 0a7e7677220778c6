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

    init(argument: Int, collation: SortTerm.Collation, rowIDsLength: Int, roundsLargeIntegers: Bool) {
        self.argument = argument
        self.collation = collation
        self.rowIDsLength = rowIDsLength
        encoder = SortKeyEncoder(
            terms: [SortTerm(collation: collation)], roundsLargeIntegers: roundsLargeIntegers)
    }

    /// Returns the key of a value, and the length of the part that equal values of the group share.
    private mutating func key(
        of cell: StorageCell, in group: [UInt8], _ rowIDs: UnsafeRawBufferPointer
    ) throws(GroupFailure) -> (key: [UInt8], prefixLength: Int) {
        var key = group
        try encoder.append([cell], to: &key)
        let prefixLength = key.count
        PackedValues.append(cell, to: &key)
        key.append(contentsOf: rowIDs)
        for length in [group.count, prefixLength] {
            withUnsafeBytes(of: UInt32(length).bigEndian) { key.append(contentsOf: $0) }
        }
        return (key, prefixLength)
    }

    /// Adds or removes a value of a row. Returns whether the group then has one distinct value more or less.
    mutating func change(
        _ cell: StorageCell, in group: [UInt8], _ rowIDs: UnsafeRawBufferPointer, isRemoval: Bool
    ) throws(GroupFailure) -> Bool {
        let (key, prefixLength) = try key(of: cell, in: group, rowIDs)
        return key.withUnsafeBytes { key in
            if isRemoval { keys.remove(beginningWith: key) }
            let prefix = UnsafeRawBufferPointer(rebasing: key[..<prefixLength])
            let isOther = keys.withFirstKey(beginningWith: prefix) { _ in } == nil
            if !isRemoval { keys.insert(key) }
            return isOther
        }
    }

    /// Appends the key of a value to a list of keys for ``fill(_:didFindValue:)``.
    mutating func append(
        _ cell: StorageCell, in group: [UInt8], _ rowIDs: UnsafeRawBufferPointer, to keys: inout KeyList
    ) throws(GroupFailure) {
        let (key, _) = try key(of: cell, in: group, rowIDs)
        key.withUnsafeBytes { keys.append($0) }
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

    /// Returns the smallest or greatest value of a group, packed; empty without values, and `nil` if it
    /// depends on the order of the rows which of several equal values the library returns.
    func extreme(of group: [UInt8], isMaximum: Bool) -> [UInt8]? {
        let value: [UInt8]?? = group.withUnsafeBytes { group in
            withKey(beginningWith: group, isLast: isMaximum) { key in
                let parts = KeyParts(key, rowIDsLength)
                let isUnique = withKey(beginningWith: parts.prefix, isLast: !isMaximum) { other in
                    KeyParts(other, rowIDsLength).value.elementsEqual(parts.value)
                }
                return isUnique == true ? Array(parts.value) : nil
            }
        }
        return value ?? []
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
    mutating func append(_ cells: [StorageCell], to bytes: inout [UInt8]) throws(GroupFailure) {
        if cells.isEmpty { return }
        guard let length = cells.withUnsafeBufferPointer({ byteCount(of: $0.baseAddress.unsafelyUnwrapped) })
        else { throw .sortKey(.tooLong) }
        let failure = KeyWriter.withWriter(ofAtMost: length) { key in
            let failure = cells.withUnsafeBufferPointer {
                write($0.baseAddress.unsafelyUnwrapped, to: &key)
            }
            bytes.append(contentsOf: key.key)
            return failure
        }
        if let failure { throw .sortKey(failure) }
    }
}
