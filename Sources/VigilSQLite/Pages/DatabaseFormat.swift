/// The properties of a database file from its header (https://www.sqlite.org/fileformat2.html, 1.3).
package struct DatabaseFormat: Hashable {
    package enum TextEncoding: UInt32 {
        case utf8 = 1
        case utf16LittleEndian
        case utf16BigEndian
    }

    package static let headerSize = 100

    package let pageSize: Int
    /// The number of bytes at the end of each page that SQLite does not use.
    package let reservedSize: Int
    package let encoding: TextEncoding
    /// Whether the file has pointer map pages.
    package let isAutoVacuum: Bool

    /// Creates a format from the first 100 bytes of a file; `nil` if it is unknown or invalid.
    package init?(header: UnsafeRawBufferPointer) {
        guard header.count >= Self.headerSize, header.starts(with: "SQLite format 3\0".utf8) else {
            return nil
        }
        let bytes = PageBytes(header)
        guard let size = try? bytes.uint16(at: 16), let reserved = try? bytes.uint8(at: 20),
            let schemaFormat = try? bytes.uint32(at: 44), let encoding = try? bytes.uint32(at: 56),
            let largestRoot = try? bytes.uint32(at: 52)
        else { return nil }
        pageSize = size == 1 ? 65536 : size
        reservedSize = Int(reserved)
        isAutoVacuum = largestRoot != 0
        // A file without tables has no encoding yet.
        guard let known = TextEncoding(rawValue: encoding == 0 ? 1 : encoding) else { return nil }
        self.encoding = known
        guard pageSize >= 512, pageSize & (pageSize - 1) == 0, usableSize >= 480, schemaFormat <= 4,
            (1...2).contains(header[18]), (1...2).contains(header[19]),
            header[21] == 64, header[22] == 32, header[23] == 32
        else { return nil }
    }

    /// The number of bytes of each page that SQLite uses.
    var usableSize: Int { pageSize - reservedSize }

    /// The number of payload bytes in an overflow page, after the number of the next page.
    var overflowSize: Int { usableSize - 4 }

    /// The page that SQLite never uses because of its locks.
    var lockPage: UInt32 { UInt32((1 << 30) / pageSize + 1) }

    /// Returns the number of payload bytes in the cell; the rest is in overflow pages.
    func localSize(ofPayload size: Int, isTableLeaf: Bool) -> Int {
        let maximum = isTableLeaf ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
        guard size > maximum else { return size }
        let minimum = (usableSize - 12) * 32 / 255 - 23
        let local = minimum + (size - minimum) % overflowSize
        return local <= maximum ? local : minimum
    }

    /// The page of pointers to the parent of a page; `nil` for a page of pointers and without such pages.
    func pointerMapPage(of page: UInt32) -> UInt32? {
        guard isAutoVacuum, page > 2 else { return nil }
        let map = pointerMap(atOrBefore: page)
        return page > map ? map : nil
    }

    /// Returns whether a page has pointers to the parents of other pages.
    func isPointerMap(_ page: UInt32) -> Bool {
        isAutoVacuum && page >= 2 && pointerMap(atOrBefore: page) == page
    }

    private func pointerMap(atOrBefore page: UInt32) -> UInt32 {
        let step = UInt32(usableSize / 5 + 1)
        let map = (page - 2) / step * step + 2
        return map == lockPage ? map + 1 : map
    }
}

/// The properties of one state of a database file that change with commits.
struct DatabaseState {
    let format: DatabaseFormat
    let schemaCookie: UInt32
    /// The first page of the list of free pages, or 0.
    let firstFreePage: UInt32
    var pageCount: UInt32
    /// The part of the header with the user version and the application id.
    let settings: [UInt8]

    init(_ source: any PageSource) throws(PageError) {
        let page = try source.page(1)
        guard let format = DatabaseFormat(header: page), page.count == format.pageSize else {
            throw .unknownFormat
        }
        self.format = format
        let bytes = PageBytes(page)
        schemaCookie = try bytes.uint32(at: 40)
        firstFreePage = try bytes.uint32(at: 32)
        pageCount = source.pageCount
        settings = Array(try bytes.slice(at: 48, count: 44))
    }

    func check(_ page: UInt32) throws(PageError) {
        guard page >= 2, page <= pageCount else { throw .malformed }
    }
}
