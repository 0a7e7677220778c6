/// The rows and index entries that are known to continue in overflow pages.
///
/// SQLite overwrites an overflow page without changing the b-tree page with the beginning of the row. What is
/// known here only has to be a good guess: ``PageMap`` checks that the row still has the page.
struct LongRows {
    /// The maximum number of known overflow pages.
    static let limit = 1 << 20

    /// For each overflow page, the first one of the row.
    private var firstPages: [UInt32: UInt32] = [:]
    /// For each first overflow page, the b-tree page with the beginning of the row.
    private var treePages: [UInt32: UInt32] = [:]
    /// Whether all long rows were read once.
    var isComplete = false

    var isEmpty: Bool { treePages.isEmpty }

    func treePage(ofOverflow page: UInt32) -> UInt32? {
        firstPages[page].flatMap { treePages[$0] }
    }

    mutating func note(_ page: UInt32, in cell: Cell) {
        if firstPages.count >= Self.limit {
            firstPages.removeAll()
            treePages.removeAll()
            isComplete = false
        }
        firstPages[page] = cell.overflow
    }

    mutating func note(_ cell: Cell, in treePage: UInt32) {
        treePages[cell.overflow] = treePage
    }

    /// Updates the places of known rows that may have moved to other b-tree pages.
    mutating func noteMoves(
        in places: [TreeDifference.Place], _ source: any PageSource, _ format: DatabaseFormat
    ) throws(PageError) {
        for place in places {
            let page = try BTreePage(source.page(place.page), number: place.page, format: format)
            for index in 0..<(page.hasRows ? page.cellCount : 0) {
                let cell = try page.cell(at: index)
                if cell.isLong { note(cell, in: place.page) }
            }
        }
    }
}

/// Finds the rows whose overflow pages changed.
struct OverflowSearch {
    let source: any PageSource
    let state: DatabaseState
    /// The changed pages without an explanation so far.
    var rest: Set<UInt32>
    /// The first overflow pages of the rows with changed overflow pages.
    var rewritten: Set<UInt32> = []
    private var remainingReads: Int

    init(
        _ rest: Set<UInt32>, _ state: DatabaseState, _ source: any PageSource, readLimit: Int = 1 << 20
    ) {
        self.rest = rest
        self.state = state
        self.source = source
        remainingReads = readLimit
    }

    /// Reads the overflow pages of all rows of a b-tree page.
    mutating func walk(_ number: UInt32, _ longRows: inout LongRows) throws(PageError) {
        try countRead()
        for cell in try longCells(of: number) {
            longRows.note(cell, in: number)
            var chain = try OverflowChain(of: cell, in: source, format: state.format)
            while let next = try chain.nextPage() {
                longRows.note(next.number, in: cell)
                if rest.remove(next.number) != nil { rewritten.insert(cell.overflow) }
                try countRead()
            }
        }
    }

    /// Returns the rows that continue in overflow pages. Their bytes are released while these are read.
    private func longCells(of number: UInt32) throws(PageError) -> [Cell] {
        let page = try BTreePage(source.page(number), number: number, format: state.format)
        var cells: [Cell] = []
        for index in 0..<(page.hasRows ? page.cellCount : 0) {
            let cell = try page.cell(at: index)
            if cell.isLong { cells.append(cell) }
        }
        return cells
    }

    /// Removes the free pages from the rest.
    mutating func removeFreePages() throws(PageError) {
        var trunk = state.firstFreePage
        while trunk != 0, !rest.isEmpty {
            try countRead()
            try state.check(trunk)
            rest.remove(trunk)
            let bytes = PageBytes(try source.page(trunk))
            let count = Int(try bytes.uint32(at: 4))
            guard count <= state.format.usableSize / 4 - 2 else { throw .malformed }
            for index in 0..<count { rest.remove(try bytes.uint32(at: 8 + 4 * index)) }
            trunk = try bytes.uint32(at: 0)
        }
    }

    /// Returns the b-tree page with the row of an overflow page, according to the pointer map of the file.
    mutating func treePage(ofOverflow number: UInt32) throws(PageError) -> UInt32? {
        var page = number
        while let map = state.format.pointerMapPage(of: page) {
            try countRead()
            let bytes = PageBytes(try source.page(map))
            let offset = 5 * (Int(page) - Int(map) - 1)
            let parent = try bytes.uint32(at: offset + 1)
            switch try bytes.uint8(at: offset) {
            case 3: return parent
            case 4: page = parent
            default: return nil
            }
            try state.check(page)
        }
        return nil
    }

    /// Counts a read. No page read before is in use.
    private mutating func countRead() throws(PageError) {
        remainingReads -= 1
        if remainingReads % 256 == 0 { source.releasePages() }
        guard remainingReads > 0 else { throw .tooManyPages }
    }
}

extension PageMap {
    /// The maximum number of pages to read in search of a row.
    private static let searchLimit = 1 << 15

    /// Explains the changed pages that are not in b-trees. Adds the pages of rows with changed overflow pages
    /// to the difference, and returns the first overflow pages of these rows.
    mutating func explain(
        _ pages: Set<UInt32>, _ difference: inout TreeDifference, _ state: DatabaseState,
        _ source: any PageSource
    ) throws(PageError) -> Set<UInt32> {
        var search = OverflowSearch(pages, state, source)
        var walked: Set<UInt32> = []
        for place in difference.newPages where walked.insert(place.page).inserted {
            try search.walk(place.page, &longRows)
        }
        if !search.rest.isEmpty { try search.removeFreePages() }
        try walkKnownPages(&search, &walked, &difference)
        if !search.rest.isEmpty, searchesLongRows, !longRows.isComplete, !format.isAutoVacuum {
            try findAllLongRows(state, source)
            try walkKnownPages(&search, &walked, &difference)
        }
        if let page = search.rest.first { throw .unknownPage(page) }
        return search.rewritten
    }

    private mutating func walkKnownPages(
        _ search: inout OverflowSearch, _ walked: inout Set<UInt32>, _ difference: inout TreeDifference
    ) throws(PageError) {
        for page in search.rest where search.rest.contains(page) {
            var known = longRows.treePage(ofOverflow: page)
            if known == nil { known = try search.treePage(ofOverflow: page) }
            guard let known, let node = nodes[known], walked.insert(known).inserted else { continue }
            difference.addPage(TreeDifference.Place(page: known, tree: Int(node.tree)))
            try search.walk(known, &longRows)
        }
    }

    private mutating func findAllLongRows(
        _ state: DatabaseState, _ source: any PageSource
    ) throws(PageError) {
        guard nodes.count <= Self.searchLimit else { throw .tooManyLongRows }
        var search = OverflowSearch([], state, source, readLimit: Self.searchLimit)
        do throws(PageError) {
            for page in nodes.keys { try search.walk(page, &longRows) }
        } catch  where error == .tooManyPages {
            throw .tooManyLongRows
        }
        longRows.isComplete = true
    }
}
