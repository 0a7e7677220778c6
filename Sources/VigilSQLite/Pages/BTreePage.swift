/// One page of a b-tree (https://www.sqlite.org/fileformat2.html, 1.6).
///
/// A table with row ids has its rows in leaves. An index, or a table without row ids, has rows in all pages.
struct BTreePage {
    let isLeaf: Bool
    /// Whether the b-tree is an index or a table without row ids.
    let isIndex: Bool
    let cellCount: Int
    private let bytes: PageBytes
    private let pointers: Int
    private let format: DatabaseFormat

    init(_ page: UnsafeRawBufferPointer, number: UInt32, format: DatabaseFormat) throws(PageError) {
        guard page.count == format.pageSize else { throw .unreadable(number) }
        bytes = PageBytes(UnsafeRawBufferPointer(rebasing: page[..<format.usableSize]))
        self.format = format
        let header = number == 1 ? DatabaseFormat.headerSize : 0
        switch try bytes.uint8(at: header) {
        case 2: (isLeaf, isIndex) = (false, true)
        case 5: (isLeaf, isIndex) = (false, false)
        case 10: (isLeaf, isIndex) = (true, true)
        case 13: (isLeaf, isIndex) = (true, false)
        default: throw .malformed
        }
        cellCount = try bytes.uint16(at: header + 3)
        pointers = header + (isLeaf ? 8 : 12)
        guard cellCount <= (bytes.count - pointers) / 2 else { throw .malformed }
    }

    /// Whether its cells are rows or index entries.
    var hasRows: Bool { isLeaf || isIndex }

    /// The number of children.
    var childCount: Int { isLeaf ? 0 : cellCount + 1 }

    func child(at index: Int) throws(PageError) -> UInt32 {
        // The last child is in the header, the others are in the cells.
        index < cellCount ? try bytes.uint32(at: offset(ofCell: index)) : try bytes.uint32(at: pointers - 4)
    }

    /// Returns a row or index entry.
    func cell(at index: Int) throws(PageError) -> Cell {
        var offset = try offset(ofCell: index) + (isLeaf ? 0 : 4)
        let size = try bytes.varint(at: &offset)
        // SQLite limits a payload to 2^31 - 1 bytes.
        guard size <= UInt64(Int32.max) else { throw .malformed }
        let key = isIndex ? 0 : try Int64(bitPattern: bytes.varint(at: &offset))
        let localSize = format.localSize(ofPayload: Int(size), isTableLeaf: !isIndex)
        let local = try bytes.slice(at: offset, count: localSize)
        let overflow = localSize < Int(size) ? try bytes.uint32(at: offset + localSize) : 0
        return Cell(key: key, local: local, size: Int(size), overflow: overflow)
    }

    private func offset(ofCell index: Int) throws(PageError) -> Int {
        guard index < cellCount else { throw .malformed }
        return try bytes.uint16(at: pointers + 2 * index)
    }

    /// Finds the cells with possible differences between an earlier image of the page and this one.
    ///
    /// All others have the same place and the same bytes in both. Cells do not overlap, so different bytes
    /// belong to the last cell before them, or to the cells beginning among them. Reading the sizes of all
    /// cells takes many times as long (bench: foreign-rows).
    ///
    /// - Returns: the indexes of the cells in both images.
    func changedCells(since old: BTreePage) throws(PageError) -> (old: [Int], new: [Int]) {
        let common = Swift.min(cellCount, old.cellCount)
        guard hasRows, old.isLeaf == isLeaf, old.isIndex == isIndex, old.pointers == pointers else {
            return (old.rowIndexes, rowIndexes)
        }
        // Within the bounds checked for the count.
        func offset(_ index: Int, in page: BTreePage) -> Int {
            let offset = page.bytes.bytes.loadUnaligned(
                fromByteOffset: pointers + 2 * index, as: UInt16.self)
            return Int(UInt16(bigEndian: offset))
        }
        var prefix = 0
        while prefix < common, offset(prefix, in: self) == offset(prefix, in: old) { prefix += 1 }
        var suffix = 0
        while suffix < common - prefix,
            offset(cellCount - 1 - suffix, in: self) == offset(old.cellCount - 1 - suffix, in: old)
        {
            suffix += 1
        }
        let content = pointers + 2 * Swift.max(cellCount, old.cellCount)
        let ranges = bytes.bytes.differences(from: old.bytes.bytes, since: content)
        var kept: [Int] = []
        // For each range, the last cell before it.
        var last = ranges.map { _ in (index: 0, offset: 0) }
        for index in 0..<cellCount where index < prefix || index >= cellCount - suffix {
            let offset = offset(index, in: self)
            // It would overlap the pointers.
            guard offset >= content else { throw .malformed }
            for number in ranges.indices where offset < ranges[number].upperBound {
                if offset >= ranges[number].lowerBound {
                    kept.append(index)
                } else if offset > last[number].offset {
                    last[number] = (index, offset)
                }
            }
        }
        for last in last where last.offset > 0 && !kept.contains(last.index) { kept.append(last.index) }
        return (
            kept.map { $0 < prefix ? $0 : $0 - cellCount + old.cellCount }
                + Array(prefix..<old.cellCount - suffix),
            kept + Array(prefix..<cellCount - suffix)
        )
    }

    /// The indexes of its rows or index entries.
    var rowIndexes: [Int] { Array(0..<(hasRows ? cellCount : 0)) }
}

/// A row or index entry, in the memory of its page.
struct Cell {
    /// The row id; 0 in an index or a table without row ids.
    var key: Int64
    /// The part of the payload inside the page.
    let local: UnsafeRawBufferPointer
    /// The number of bytes of the payload.
    let size: Int
    /// The first page with the rest of the payload; 0 if all of it is in the page.
    let overflow: UInt32

    var isLong: Bool { local.count < size }
}

/// The pages with the rest of a long payload.
struct OverflowChain {
    private var next: UInt32
    private var remaining: Int
    private let source: any PageSource
    private let format: DatabaseFormat

    init(of cell: Cell, in source: any PageSource, format: DatabaseFormat) throws(PageError) {
        next = cell.overflow
        remaining = cell.size - cell.local.count
        self.source = source
        self.format = format
        // A shorter file has no place for it, so its pages would repeat.
        guard remaining / format.overflowSize <= Int(source.pageCount) else { throw .malformed }
    }

    /// Returns the next page and its part of the payload; `nil` at the end.
    mutating func nextPage() throws(PageError) -> (number: UInt32, content: UnsafeRawBufferPointer)? {
        guard remaining > 0 else { return nil }
        let number = next
        guard number >= 2, number <= source.pageCount else { throw .malformed }
        let bytes = PageBytes(try source.page(number))
        next = try bytes.uint32(at: 0)
        let content = try bytes.slice(at: 4, count: min(remaining, format.overflowSize))
        remaining -= content.count
        return (number, content)
    }
}
