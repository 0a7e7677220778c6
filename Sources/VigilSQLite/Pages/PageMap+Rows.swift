import VigilStorage

extension PageMap {
    /// Reports the changed rows of all b-trees with changed pages.
    func reportRows(
        _ difference: TreeDifference, _ comparison: RowComparison, limit: Int, report: (ChangeEvent) -> Void
    ) throws(PageError) {
        var pages: [Int: (old: [UInt32], new: [UInt32])] = [:]
        for place in difference.oldPages { pages[place.tree, default: ([], [])].old.append(place.page) }
        for place in difference.newPages { pages[place.tree, default: ([], [])].new.append(place.page) }
        for (tree, pages) in pages.sorted(by: { $0.key < $1.key }) {
            switch trees[tree].content {
            case .ignored:
                guard tree == 0 else { continue }
                let rows = try differences(ofTree: tree, pages, comparison)
                guard rows.count == 0 else { throw .changedSchema }
            case .tables(let names):
                for name in names { report(.table(name)) }
            case .rows(let table):
                guard pages.old.count <= limit, pages.new.count <= limit else {
                    report(.table(table.name))
                    continue
                }
                let rows = try differences(ofTree: tree, pages, comparison)
                if rows.count > limit {
                    report(.table(table.name))
                } else if rows.count > 0 {
                    PageRowImages(table, comparison).report(rows, to: report)
                }
            }
        }
    }

    private func differences(
        ofTree tree: Int, _ pages: (old: [UInt32], new: [UInt32]), _ comparison: RowComparison
    ) throws(PageError) -> RowDifferences {
        let cells = try comparison.cells(of: pages)
        return try RowDifferences(
            old: cells.old, new: cells.new, keysAreUnique: !isIndex[tree], comparison)
    }
}

/// The values of a changed row, in the pages of two states.
final class PageRowImages: RowImages {
    let columnNames: [String]
    private let table: TrackedTable
    private let old: RecordImage
    private let new: RecordImage

    init(_ table: TrackedTable, _ comparison: RowComparison) {
        self.table = table
        columnNames = table.columns.map(\.name)
        old = RecordImage(table: table, format: comparison.format, source: comparison.old)
        new = RecordImage(table: table, format: comparison.format, source: comparison.new)
    }

    func oldValue(at column: Int) -> StorageCell? { old.value(at: column) }

    func newValue(at column: Int) -> StorageCell? { new.value(at: column) }

    func report(_ rows: RowDifferences, to report: (ChangeEvent) -> Void) {
        var rows = rows
        if table.isWithoutRowID {
            rows.combine(oldKey: { key(of: $0, in: old) }, newKey: { key(of: $0, in: new) })
        }
        for row in rows.deleted { self.report(.delete, row, nil, to: report) }
        for row in rows.updated { self.report(.update, row.old, row.new, to: report) }
        for row in rows.inserted { self.report(.insert, nil, row, to: report) }
        old.begin(nil)
        new.begin(nil)
    }

    private func report(
        _ kind: RowChange.Kind, _ oldCell: Cell?, _ newCell: Cell?, to report: (ChangeEvent) -> Void
    ) {
        old.begin(oldCell)
        new.begin(newCell)
        report(
            .row(
                RowChange(
                    table: table.name, kind: kind, oldKey: oldCell == nil ? nil : old.key,
                    newKey: newCell == nil ? nil : new.key, images: self)))
    }

    private func key(of cell: Cell, in image: RecordImage) -> [UInt8]? {
        image.begin(cell)
        return image.keyBytes
    }
}
