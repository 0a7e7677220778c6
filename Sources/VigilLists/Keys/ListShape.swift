package import VigilStorage

package typealias SortTerm = ListPlan.SortTerm

/// The tables and the order of a list followed row by row.
///
/// The *order key* of a row consists of its encoded sort values and its row ids in all tables. It determines
/// the row's place. The row ids are the row's identity, and have the same length in all keys.
///
/// The *index key* of a row for a table begins with the row id in this table, followed by the rest of the
/// order key. Rows with one row id in a table are therefore adjacent in the order of index keys, and in their
/// order in the list.
///
/// A class, because each version of each list refers to a shape.
package final class ListShape: Sendable {
    /// An entry of the outer FROM clause.
    package struct Source: Sendable, Hashable {
        package let table: TableName
        /// Whether the row can be missing, because the table is on the optional side of a join.
        package let isOptional: Bool

        package init(_ table: TableName, isOptional: Bool = false) {
            self.table = table
            self.isOptional = isOptional
        }
    }

    package let sources: [Source]
    package let terms: [SortTerm]
    /// Whether rows with equal sort values are in descending order of their row ids.
    package let rowIDsDescend: Bool
    /// The place of each source's row id in the identity.
    let idRanges: [Range<Int>]
    /// The number of bytes of the identity.
    let idLength: Int
    /// For each source, whether its row may be missing.
    let areOptional: [Bool]

    /// - Parameter rowIDsDescend: the direction of row ids; by default the direction of the last term.
    package init(sources: [Source], terms: [SortTerm], rowIDsDescend: Bool? = nil) {
        self.sources = sources
        self.terms = terms
        self.rowIDsDescend = rowIDsDescend ?? terms.last?.isDescending ?? false
        var end = 0
        idRanges = sources.map { source in
            defer { end += source.isOptional ? 9 : 8 }
            return end..<end + (source.isOptional ? 9 : 8)
        }
        idLength = end
        areOptional = sources.map(\.isOptional)
    }

    package var cellCount: Int { sources.count + terms.count }

    /// Whether the order keys begin with the row id of this source, so it needs no index.
    func isOrdered(by source: Int) -> Bool { terms.isEmpty && source == 0 }

    /// Writes the row ids in `cells`, one for each source. They take ``idLength`` bytes.
    ///
    /// - Returns: `nil`, or why the key must not be used.
    func write(rowIDs cells: UnsafePointer<StorageCell>, to key: inout KeyWriter) -> SortKeyFailure? {
        let start = key.count
        for (index, isOptional) in areOptional.enumerated() {
            switch cells[index].kind {
            case .integer: write(cells[index].integer, isOptional: isOptional, to: &key)
            case .null where isOptional: key.append(zeros: 9)
            default: return .missingRowID
            }
        }
        if rowIDsDescend { key.complement(from: start) }
        return nil
    }

    private func write(_ rowID: Int64, isOptional: Bool, to key: inout KeyWriter) {
        if isOptional { key.append(1) }
        key.append(bigEndian: UInt64(bitPattern: rowID) ^ 1 << 63)
    }

    /// Calls `body` with the common prefix of the index keys of a row.
    func withIndexPrefix(of rowID: Int64, source: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
        KeyWriter.withWriter(ofAtMost: 9) { prefix in
            write(rowID, isOptional: areOptional[source], to: &prefix)
            if rowIDsDescend { prefix.complement(from: 0) }
            body(prefix.key)
        }
    }

    /// Returns a number for the row id in an index key. The numbers are ordered like the keys.
    func orderedRowID(of source: Int, in key: UnsafeRawBufferPointer) -> UInt64 {
        let end = key.count - idLength + idRanges[source].upperBound
        return UInt64(bigEndian: key.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self))
    }

    /// Returns the row id of a source in an order key; `nil` if the row is missing.
    func rowID(of source: Int, in key: UnsafeRawBufferPointer) -> Int64? {
        let flip: UInt8 = rowIDsDescend ? 0xff : 0
        if sources[source].isOptional, key[key.count - idLength + idRanges[source].lowerBound] == flip {
            return nil
        }
        let stored = orderedRowID(of: source, in: key)
        return Int64(bitPattern: (rowIDsDescend ? ~stored : stored) ^ 1 << 63)
    }

    func identity(in key: UnsafeRawBufferPointer) -> RowIdentity {
        if sources.count == 1, let rowID = rowID(of: 0, in: key) { return RowIdentity(.rowID(rowID)) }
        return RowIdentity(.rowIDs(sources.indices.map { rowID(of: $0, in: key) }))
    }

    /// Appends the index key for an order key.
    func appendIndexKey(_ key: UnsafeRawBufferPointer, source: Int, to list: inout KeyList) {
        let range = idRanges[source]
        let start = key.count - idLength + range.lowerBound
        let end = start + range.count
        list.append { bytes in
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: key[start..<end]))
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: key[..<start]))
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: key[end...]))
        }
    }

    /// Appends the order key for an index key.
    func appendOrderKey(_ key: UnsafeRawBufferPointer, source: Int, to list: inout KeyList) {
        let range = idRanges[source]
        let place = key.count - idLength + range.lowerBound
        list.append { bytes in
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: key[range.count..<range.count + place]))
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: key[..<range.count]))
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: key[(range.count + place)...]))
        }
    }
}

extension ListShape: Hashable {
    package static func == (a: ListShape, b: ListShape) -> Bool {
        a === b
            || a.sources == b.sources && a.terms == b.terms && a.rowIDsDescend == b.rowIDsDescend
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(sources)
        hasher.combine(terms)
        hasher.combine(rowIDsDescend)
    }
}
