/// How changed pages changed the structure of the b-trees.
struct TreeDifference {
    /// A page to read rows from, and the index of its b-tree.
    struct Place {
        let page: UInt32
        let tree: Int
    }

    /// The pages of the old state with rows that may have changed.
    private(set) var oldPages: [Place] = []
    /// The pages of the new state with rows that may have changed.
    private(set) var newPages: [Place] = []
    /// The pages that left the b-trees.
    private(set) var lost: Set<UInt32> = []
    /// The pages with a new place in the b-trees.
    private(set) var placed: [UInt32: PageMap.Node] = [:]

    private let changed: Set<UInt32>
    private var nodes: [UInt32: PageMap.Node]
    private let isIndex: [Bool]
    private let format: DatabaseFormat
    private let old: any PageSource
    private let new: any PageSource
    /// The changed pages, and the children of changed pages, in the new state of the b-trees.
    private var confirmed: Set<UInt32> = []
    /// For an unchanged page below a changed one, the changed pages further below, without others in between.
    private var waiting: [UInt32: [UInt32]] = [:]

    init(map: PageMap, changed: Set<UInt32>, old: any PageSource, new: any PageSource) {
        self.changed = changed
        nodes = map.nodes
        isIndex = map.isIndex
        format = map.format
        self.old = old
        self.new = new
    }

    mutating func compare() throws(PageError) {
        if try onlyLeavesChanged() { return }
        try visitNewState()
        try collectOldState()
    }

    /// Handles the usual case: all changed pages were leaves, and still are, so that no page has moved.
    private mutating func onlyLeavesChanged() throws(PageError) -> Bool {
        var places: [Place] = []
        for page in changed {
            guard let node = nodes[page], node.isLeaf else { return false }
            places.append(Place(page: page, tree: Int(node.tree)))
        }
        for place in places where try !read(place, in: new).isLeaf { return false }
        (oldPages, newPages, confirmed) = (places, places, changed)
        return true
    }

    /// Adds an unchanged page of both states: a page with the rest of one of its rows changed.
    mutating func addPage(_ place: Place) {
        oldPages.append(place)
        newPages.append(place)
    }

    /// Returns the changed pages that are not in a b-tree of the new state and may be in use.
    func unexplainedPages(_ state: DatabaseState) -> Set<UInt32> {
        changed.filter {
            !confirmed.contains($0) && $0 <= state.pageCount && !format.isPointerMap($0)
                && $0 != format.lockPage
        }
    }

    /// Releases the pages of the map, to change them without a copy.
    mutating func releaseMap() {
        nodes = [:]
    }

    // MARK: New state

    /// Visits the changed pages of the new b-trees, from the roots downwards: a page that left its b-tree may
    /// already hold something else that looks like a page of a b-tree.
    private mutating func visitNewState() throws(PageError) {
        var stack: [Place] = []
        for page in changed {
            guard let node = nodes[page] else { continue }
            let path = try unchangedPages(above: node)
            if path.endsAtChangedPage {
                // Any of them may get another parent, without those above it.
                for ancestor in path.pages { waiting[ancestor, default: []].append(page) }
            } else {
                try confirm(page)
                stack.append(Place(page: page, tree: Int(node.tree)))
                placed[page] = node
            }
        }
        while let place = stack.popLast() {
            let page = try read(place, in: new)
            newPages.append(place)
            placed[place.page]?.isLeaf = page.isLeaf
            for index in 0..<page.childCount {
                try visitChild(page.child(at: index), of: place, &stack)
            }
        }
    }

    private mutating func visitChild(
        _ child: UInt32, of place: Place, _ stack: inout [Place]
    ) throws(PageError) {
        guard child >= 2, child <= new.pageCount else { throw .malformed }
        try confirm(child)
        let tree = Int32(place.tree)
        if changed.contains(child) {
            guard nodes[child]?.parent != 0 else { throw .malformed }
            placed[child] = PageMap.Node(tree: tree, parent: place.page, isLeaf: true)
            stack.append(Place(page: child, tree: place.tree))
            return
        }
        guard var node = nodes[child], node.tree == tree, node.parent != 0 else { throw .malformed }
        if node.parent != place.page {
            node.parent = place.page
            placed[child] = node
        }
        for page in waiting[child] ?? [] {
            guard let node = nodes[page] else { continue }
            try confirm(page)
            placed[page] = node
            stack.append(Place(page: page, tree: place.tree))
        }
    }

    /// Returns the pages above another page, up to the nearest changed page or the root.
    private func unchangedPages(
        above node: PageMap.Node
    ) throws(PageError) -> (pages: [UInt32], endsAtChangedPage: Bool) {
        var pages: [UInt32] = []
        var parent = node.parent
        while pages.count < PageMap.depthLimit {
            if parent == 0 { return (pages, false) }
            if changed.contains(parent) { return (pages, true) }
            guard let next = nodes[parent] else { throw .malformed }
            pages.append(parent)
            parent = next.parent
        }
        throw .malformed
    }

    private mutating func confirm(_ page: UInt32) throws(PageError) {
        guard confirmed.insert(page).inserted else { throw .malformed }
    }

    // MARK: Old state

    private mutating func collectOldState() throws(PageError) {
        var stack: [UInt32] = []
        for number in changed {
            guard let node = nodes[number] else { continue }
            try collectOldPage(number, node, &stack)
            if !confirmed.contains(number) { lost.insert(number) }
        }
        while let number = stack.popLast() {
            guard let node = nodes[number] else { throw .malformed }
            if changed.contains(number) { continue }
            guard lost.insert(number).inserted else { throw .malformed }
            try collectOldPage(number, node, &stack)
        }
    }

    /// Collects a page of the old state, and its children that are not in the new state.
    private mutating func collectOldPage(
        _ number: UInt32, _ node: PageMap.Node, _ stack: inout [UInt32]
    ) throws(PageError) {
        let place = Place(page: number, tree: Int(node.tree))
        oldPages.append(place)
        // The leaves are read later, if at all.
        if node.isLeaf { return }
        let page = try read(place, in: old)
        guard !page.isLeaf else { throw .malformed }
        for index in 0..<page.childCount {
            let child = try page.child(at: index)
            if !confirmed.contains(child) { stack.append(child) }
        }
    }

    private func read(_ place: Place, in source: any PageSource) throws(PageError) -> BTreePage {
        let page = try BTreePage(source.page(place.page), number: place.page, format: format)
        guard page.isIndex == isIndex[place.tree] else { throw .malformed }
        return page
    }
}
