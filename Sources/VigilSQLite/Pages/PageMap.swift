package import VigilStorage

/// Finds the rows changed between two states of a database file, from its pages alone.
///
/// The map knows the b-tree of each page. It is made by reading the inner pages of all b-trees; afterwards,
/// each difference between two states costs time in proportion to the changed pages:
///
/// 1. *Structure* (``TreeDifference``). Changed inner pages give children away and take others. A page that
///    was given away and not taken is lost, with all pages below it: their rows were deleted, even if the
///    pages themselves did not change.
/// 2. *Long rows* (``LongRows``). All other changed pages must be free, or hold the rest of a long row.
///    SQLite overwrites such a page without changing the b-tree. A page without explanation is an error.
/// 3. *Rows* (``RowDifferences``). Rows in the changed and lost pages that are equal in both states cancel
///    out, also if they moved between pages.
package struct PageMap {
    /// The place of a page in its b-tree.
    struct Node {
        /// The index of its b-tree in ``trees``.
        var tree: Int32
        /// The page above it; 0 for a root.
        var parent: UInt32
        var isLeaf: Bool
    }

    private static let header = TableName(name: "sqlite_master")
    /// The maximum number of pages, which need about 30 bytes each.
    package static let pageLimit = 1 << 22
    /// The maximum depth of a b-tree, as in SQLite.
    static let depthLimit = 20

    let format: DatabaseFormat
    let trees: [TrackedTree]
    /// For each b-tree, whether it is an index or a table without row ids.
    private(set) var isIndex: [Bool] = []
    var nodes: [UInt32: Node] = [:]
    var longRows = LongRows()
    /// Whether all rows may be read in search of the one with a changed page.
    let searchesLongRows: Bool
    private var state: DatabaseState
    private let pageLimit: Int

    /// Creates a map for a state of the file.
    ///
    /// - Parameters:
    ///   - trees: all b-trees in the schema, without the schema table.
    ///   - source: the pages of the state.
    ///   - pageLimit: the maximum number of pages.
    ///   - searchesLongRows: whether all rows may be read in search of the one with a changed page.
    package init(
        trees: [TrackedTree], source: any PageSource, pageLimit: Int = pageLimit,
        searchesLongRows: Bool = true
    ) throws(PageError) {
        self.pageLimit = pageLimit
        self.searchesLongRows = searchesLongRows
        state = try DatabaseState(source)
        format = state.format
        // A change of the schema table without a new cookie is an error.
        self.trees = [TrackedTree(rootPage: 1, content: .ignored)] + trees
        for (index, tree) in self.trees.enumerated() {
            try addTree(index, root: tree.rootPage, source)
            source.releasePages()
        }
    }

    /// The number of pages in b-trees.
    package var pageCount: Int { nodes.count }

    /// Reports the changes between the state of the map and a new one, and advances the map to the new state.
    ///
    /// After an error, changes may have been reported already, and the map is not usable anymore.
    ///
    /// - Parameters:
    ///   - pages: all pages that may have changed.
    ///   - old: the state of the map.
    ///   - limit: the maximum number of rows, and of pages, to compare per table; a table with more is
    ///     reported as changed.
    ///   - report: receives the changes of a table in this order: deletions, updates, insertions.
    package mutating func reportChanges(
        of pages: some Sequence<UInt32>, from old: any PageSource, to new: any PageSource, limit: Int,
        report: (ChangeEvent) -> Void
    ) throws(PageError) {
        let changed = Set(pages)
        let oldState = state
        if changed.contains(1) { state = try DatabaseState(new) }
        guard state.format == format else { throw .unknownFormat }
        guard state.schemaCookie == oldState.schemaCookie else { throw .changedSchema }
        state.pageCount = new.pageCount
        var difference = TreeDifference(map: self, changed: changed, old: old, new: new)
        try difference.compare()
        apply(&difference)
        let rest = difference.unexplainedPages(state)
        var rewritten: Set<UInt32> = []
        if !rest.isEmpty {
            rewritten = try explain(rest, &difference, state, new)
        } else if !longRows.isEmpty {
            try longRows.noteMoves(in: difference.newPages, new, format)
        }
        let comparison = RowComparison(format: format, old: old, new: new, rewritten: rewritten)
        var hasReported = false
        try reportRows(difference, comparison, limit: limit) { event in
            hasReported = true
            report(event)
        }
        // The schema table stands for the header of the file, and for what is not in rows: free pages, and
        // the order of pages.
        if state.settings != oldState.settings || !hasReported && !changed.isEmpty {
            report(.table(Self.header))
        }
    }

    private mutating func apply(_ difference: inout TreeDifference) {
        difference.releaseMap()
        for page in difference.lost { nodes[page] = nil }
        for (page, node) in difference.placed { nodes[page] = node }
    }

    private mutating func addTree(_ index: Int, root: UInt32, _ source: any PageSource) throws(PageError) {
        guard root >= 1, root <= source.pageCount, root == 1 || index > 0 else { throw .malformed }
        let rootPage = try BTreePage(source.page(root), number: root, format: format)
        isIndex.append(rootPage.isIndex)
        if case .rows(let table) = trees[index].content, table.isWithoutRowID != rootPage.isIndex {
            throw .malformed
        }
        try addNode(root, Node(tree: Int32(index), parent: 0, isLeaf: rootPage.isLeaf))
        var level = rootPage.isLeaf ? [] : [root]
        var depth = 0
        while !level.isEmpty {
            depth += 1
            guard depth < Self.depthLimit else { throw .malformed }
            level = try addChildren(of: level, tree: index, source)
        }
    }

    /// Adds the next level of a b-tree, and returns its pages, unless they are leaves.
    private mutating func addChildren(
        of level: [UInt32], tree: Int, _ source: any PageSource
    ) throws(PageError) -> [UInt32] {
        var next: [UInt32] = []
        // All leaves of a b-tree have the same depth.
        var isLeaf: Bool?
        for (position, number) in level.enumerated() {
            if position % 256 == 255 { source.releasePages() }
            let page = try BTreePage(source.page(number), number: number, format: format)
            guard page.isIndex == isIndex[tree], !page.isLeaf else { throw .malformed }
            for index in 0..<page.childCount {
                let child = try page.child(at: index)
                guard child >= 2, child <= source.pageCount else { throw .malformed }
                if isLeaf == nil {
                    isLeaf = try BTreePage(source.page(child), number: child, format: format).isLeaf
                }
                let childIsLeaf = isLeaf ?? true
                try addNode(child, Node(tree: Int32(tree), parent: number, isLeaf: childIsLeaf))
                if !childIsLeaf { next.append(child) }
            }
        }
        return next
    }

    private mutating func addNode(_ page: UInt32, _ node: Node) throws(PageError) {
        guard nodes.count < pageLimit else { throw .tooManyPages }
        guard nodes.updateValue(node, forKey: page) == nil else { throw .malformed }
    }
}
