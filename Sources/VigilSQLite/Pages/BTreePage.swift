import VigilStorage

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
    /// The bytes of the cells are compared, wherever they are in the page: SQLite moves them all to make room
    /// for one. Cells are paired from the first on, then from the last on, and in between if their number
    /// is the same. No cell is decoded (bench: foreign-rows).
    ///
    /// - Returns: the indexes of the cells in both images.
    func changedCells(since old: BTreePage) -> (old: [Int], new: [Int]) {
        guard hasRows, old.isLeaf == isLeaf, old.isIndex == isIndex else {
            return (old.rowIndexes, rowIndexes)
        }
        let common = Swift.min(cellCount, old.cellCount)
        let shift = old.cellCount - cellCount
        var first = 0
        while first < common, isEqual(cell: first, to: first, in: old) { first += 1 }
        var end = cellCount
        while end > cellCount - common + first, isEqual(cell: end - 1, to: end - 1 + shift, in: old) {
            end -= 1
        }
        guard shift == 0 else { return (Array(first..<end + shift), Array(first..<end)) }
        let changed = (first..<end).filter { !isEqual(cell: $0, to: $0, in: old) }
        return (changed, changed)
    }

    /// Returns whether two rows or index entries have the same bytes. Malformed cells are different.
    private func isEqual(cell index: Int, to oldIndex: Int, in old: BTreePage) -> Bool {
        let (start, oldStart) = (rowOffset(index), old.rowOffset(oldIndex))
        guard let size = rowSize(at: start), oldStart <= old.bytes.count - size else { return false }
        return UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<start + size])
            .isIdentical(to: UnsafeRawBufferPointer(rebasing: old.bytes.bytes[oldStart..<oldStart + size]))
    }

    private func rowOffset(_ index: Int) -> Int {
        // Within the bounds checked for the count.
        let pointer = bytes.bytes.loadUnaligned(fromByteOffset: pointers + 2 * index, as: UInt16.self)
        return Int(UInt16(bigEndian: pointer)) + (isLeaf ? 0 : 4)
    }

    /// Returns the number of bytes of a row or index entry: of its sizes, its part in the page, and the
    /// number of the first overflow page. Returns `nil` if they are not within the page.
    private func rowSize(at start: Int) -> Int? {
        let page = bytes.bytes
        var offset = start
        var payloadSize: UInt64 = 0
        var byte: UInt8
        repeat {
            guard offset < page.count, offset < start + 5 else { return nil }
            byte = page[offset]
            payloadSize = payloadSize << 7 | UInt64(byte & 0x7f)
            offset += 1
        } while byte >= 0x80
        // SQLite limits a payload to 2^31 - 1 bytes.
        guard payloadSize <= UInt64(Int32.max) else { return nil }
        let size = Int(payloadSize)
        if !isIndex {
            let end = Swift.min(offset + 9, page.count)
            repeat {
                guard offset < end else { return nil }
                byte = page[offset]
                offset += 1
            } while byte >= 0x80 && offset < end
        }
        let localSize = format.localSize(ofPayload: size, isTableLeaf: !isIndex)
        offset += localSize < size ? localSize + 4 : localSize
        return offset <= page.count ? offset - start : nil
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
