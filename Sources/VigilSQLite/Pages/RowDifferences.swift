import VigilStorage

/// Compares rows of two states.
struct RowComparison {
    let format: DatabaseFormat
    let old: any PageSource
    let new: any PageSource
    /// The first overflow pages of the rows with changed overflow pages.
    let rewritten: Set<UInt32>

    /// Returns whether two rows have the same bytes.
    func isEqual(_ oldCell: Cell, _ newCell: Cell) throws(PageError) -> Bool {
        guard oldCell.size == newCell.size, oldCell.local.isIdentical(to: newCell.local) else { return false }
        guard newCell.isLong else { return true }
        if oldCell.overflow == newCell.overflow, !rewritten.contains(newCell.overflow) { return true }
        var oldChain = try OverflowChain(of: oldCell, in: old, format: format)
        var newChain = try OverflowChain(of: newCell, in: new, format: format)
        while let oldPage = try oldChain.nextPage(), let newPage = try newChain.nextPage() {
            guard oldPage.content.isIdentical(to: newPage.content) else { return false }
        }
        return true
    }

    /// Returns the rows in pages of both states, without most rows equal at the same place.
    func cells(of pages: (old: [UInt32], new: [UInt32])) throws(PageError) -> (old: [Cell], new: [Cell]) {
        // Rows with changed overflow pages look equal.
        let shared = rewritten.isEmpty ? Set(pages.old).intersection(pages.new) : []
        var cells: (old: [Cell], new: [Cell]) = ([], [])
        for number in pages.old where !shared.contains(number) {
            let page = try page(number, in: old)
            try page.append(page.rowIndexes, to: &cells.old)
        }
        for number in pages.new {
            let page = try page(number, in: new)
            guard shared.contains(number) else {
                try page.append(page.rowIndexes, to: &cells.new)
                continue
            }
            let previous = try self.page(number, in: old)
            let changed = page.changedCells(since: previous)
            try previous.append(changed.old, to: &cells.old)
            try page.append(changed.new, to: &cells.new)
        }
        return cells
    }

    private func page(_ number: UInt32, in source: any PageSource) throws(PageError) -> BTreePage {
        try BTreePage(source.page(number), number: number, format: format)
    }
}

extension BTreePage {
    fileprivate func append(_ indexes: [Int], to cells: inout [Cell]) throws(PageError) {
        for index in indexes {
            var cell = try cell(at: index)
            if isIndex { cell.key = cell.local.stableHash }
            cells.append(cell)
        }
    }
}

/// The rows of a b-tree that differ between two states.
struct RowDifferences {
    private(set) var deleted: [Cell] = []
    private(set) var updated: [(old: Cell, new: Cell)] = []
    private(set) var inserted: [Cell] = []

    var count: Int { deleted.count + updated.count + inserted.count }

    /// Compares all rows in the changed pages. The key of a row is its row id or, in a table without row ids,
    /// the hash of its bytes. Rows with equal keys in one state are only permitted in the latter case.
    init(
        old: [Cell], new: [Cell], keysAreUnique: Bool, _ comparison: RowComparison
    ) throws(PageError) {
        let old = old.sorted { $0.key < $1.key }
        let new = new.sorted { $0.key < $1.key }
        var (oldIndex, newIndex) = (0, 0)
        while oldIndex < old.count || newIndex < new.count {
            let key = Swift.min(
                oldIndex < old.count ? old[oldIndex].key : .max,
                newIndex < new.count ? new[newIndex].key : .max)
            let oldEnd = Self.endOfKey(key, in: old, from: oldIndex)
            let newEnd = Self.endOfKey(key, in: new, from: newIndex)
            if keysAreUnique {
                guard oldEnd - oldIndex <= 1, newEnd - newIndex <= 1 else { throw .malformed }
                try compareRow(
                    oldEnd > oldIndex ? old[oldIndex] : nil, newEnd > newIndex ? new[newIndex] : nil,
                    comparison)
            } else {
                try compareRows(old[oldIndex..<oldEnd], new[newIndex..<newEnd], comparison)
            }
            (oldIndex, newIndex) = (oldEnd, newEnd)
        }
    }

    private static func endOfKey(_ key: Int64, in cells: [Cell], from start: Int) -> Int {
        var end = start
        while end < cells.count, cells[end].key == key { end += 1 }
        return end
    }

    private mutating func compareRow(
        _ old: Cell?, _ new: Cell?, _ comparison: RowComparison
    ) throws(PageError) {
        switch (old, new) {
        case (let old?, let new?): if try !comparison.isEqual(old, new) { updated.append((old, new)) }
        case (let old?, nil): deleted.append(old)
        case (nil, let new?): inserted.append(new)
        case (nil, nil): break
        }
    }

    private mutating func compareRows(
        _ old: ArraySlice<Cell>, _ new: ArraySlice<Cell>, _ comparison: RowComparison
    ) throws(PageError) {
        var rest = Array(new)
        for row in old {
            var position: Int?
            for (index, candidate) in rest.enumerated() where try comparison.isEqual(row, candidate) {
                position = index
                break
            }
            if let position { rest.remove(at: position) } else { deleted.append(row) }
        }
        inserted += rest
    }

    /// Combines deletions and insertions of rows with equal keys to updates.
    mutating func combine(oldKey: (Cell) -> [UInt8]?, newKey: (Cell) -> [UInt8]?) {
        guard !deleted.isEmpty, !inserted.isEmpty else { return }
        var positions: [[UInt8]: Int] = [:]
        for (position, row) in inserted.enumerated() {
            if let key = newKey(row) { positions[key] = position }
        }
        var combined: Set<Int> = []
        deleted.removeAll { row in
            guard let key = oldKey(row), let position = positions.removeValue(forKey: key) else {
                return false
            }
            updated.append((row, inserted[position]))
            combined.insert(position)
            return true
        }
        inserted = inserted.enumerated().filter { !combined.contains($0.offset) }.map(\.element)
    }
}
