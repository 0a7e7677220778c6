package import VigilStorage

/// The contributions of a fetch. See `GroupPlan`.
package struct FetchedContributions: Sendable {
    /// For each contribution, its packed values and arguments, then its row ids: the order key of a list
    /// without sort terms.
    private(set) var keys = KeyList()
    private(set) var failure: GroupFailure?
    private let shape: GroupShape

    init(_ shape: GroupShape) { self.shape = shape }

    package var count: Int { keys.count }

    /// The memory of the contributions.
    package var byteCount: Int { keys.bytes.count + 8 * keys.count }

    mutating func removeAll() {
        keys.removeAll()
        failure = nil
    }

    /// Adds a contribution.
    ///
    /// - Parameter cells: the columns of the statement.
    package mutating func append(_ cells: UnsafePointer<StorageCell>) {
        guard failure == nil else { return }
        let shape = shape
        failure = keys.append { bytes in
            let start = bytes.count
            for index in 0..<shape.valueCount { PackedValues.append(cells[index], to: &bytes) }
            for index in 0..<shape.argumentCount {
                let cell = cells[shape.valueCount + index]
                let isPresence = shape.isCounted[index] && cell.kind != .null
                PackedValues.append(isPresence ? StorageCell(integer: 0) : cell, to: &bytes)
            }
            for (index, isOptional) in shape.keys.areOptional.enumerated() {
                let column = shape.keyColumns[index]
                let isMissing = isOptional && cells[column].kind == .null
                guard isMissing || cells[column].kind == .integer else { return .sortKey(.missingRowID) }
                if isOptional { bytes.append(isMissing ? 0 : 1) }
                let bits = isMissing ? 0 : UInt64(bitPattern: cells[column].integer) ^ 1 << 63
                withUnsafeBytes(of: bits.bigEndian) { bytes.append(contentsOf: $0) }
            }
            return bytes.count - start > SortKeyEncoder.lengthLimit / 4 ? .sortKey(.tooLong) : nil
        }
    }
}

/// Why the result of groups cannot be computed from contributions.
package enum GroupFailure: Error, Hashable {
    /// A value that should be the same for all rows of a group is not identical in two of them.
    case differentValues
    /// Two contributions have equal row ids.
    case repeatedRow
    /// A text is not UTF-8, so that an expression would be computed with another one.
    case invalidText
    case sortKey(SortKeyFailure)
}
