enum NodeSizes {
    /// The greatest number of entries of a leaf, and of children of a branch.
    static let leaf = 32
    static let branch = 16
    /// The number of entries below which a leaf is joined with a neighbour.
    static let leastLeaf = leaf / 4

    /// Returns the sizes of nodes for a number of entries or children.
    ///
    /// Several nodes are filled to about three quarters, so the next insertions do not split them again.
    static func parts(of count: Int, limit: Int) -> (number: Int, rest: Int, size: Int) {
        if count <= limit { return (1, 0, count) }
        let target = limit * 3 / 4
        let number = (count + target - 1) / target
        return (number, count % number, count / number)
    }

    /// Calls `body` with the range of each node.
    static func forEachPart(of count: Int, limit: Int, _ body: (Range<Int>) -> Void) {
        if count == 0 { return }
        let (number, rest, size) = parts(of: count, limit: limit)
        var start = 0
        for index in 0..<number {
            let end = start + size + (index < rest ? 1 : 0)
            body(start..<end)
            start = end
        }
    }
}
