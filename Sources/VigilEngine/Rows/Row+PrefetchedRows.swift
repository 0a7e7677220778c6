extension Row {
    /// The rows fetched along with a row for its to-many associations, by the key of the association.
    public struct PrefetchedRowsView: Equatable, Sendable {
        /// The associations, in the order of their insertion.
        private var nodes: [Node] = []

        private struct Node: Equatable {
            let key: String
            /// The rows; `nil` for an association with inner ones only.
            var rows: [Row]?
            var inner = PrefetchedRowsView()
        }

        /// Whether no association was prefetched.
        public var isEmpty: Bool { nodes.isEmpty }

        /// The keys of all associations with prefetched rows, including inner ones.
        public var keys: Set<String> {
            nodes.reduce(into: []) { keys, node in
                if node.rows != nil { keys.insert(node.key) }
                keys.formUnion(node.inner.keys)
            }
        }

        /// The rows of the association with the given key. If several have it, the least nested one; `nil`
        /// for an unknown key.
        public subscript(_ key: String) -> [Row]? {
            var level = nodes
            while !level.isEmpty {
                for node in level where node.key == key {
                    if let rows = node.rows { return rows }
                }
                level = level.flatMap(\.inner.nodes)
            }
            return nil
        }

        /// Returns the prefetched rows for the row of the scope `key`.
        func inner(_ key: String) -> PrefetchedRowsView? { nodes.first { $0.key == key }?.inner }

        /// Returns whether the associations are the same, with identical rows in the same order.
        func isIdentical(to other: PrefetchedRowsView) -> Bool {
            nodes.elementsEqual(other.nodes) { node, other in
                guard node.key == other.key, node.inner.isIdentical(to: other.inner) else { return false }
                guard let rows = node.rows, let otherRows = other.rows else {
                    return node.rows == nil && other.rows == nil
                }
                return rows.elementsEqual(otherRows) { $0.isIdentical(to: $1) }
            }
        }

        /// Sets the rows of the association at a path of keys.
        package mutating func setRows(_ rows: [Row], forKeyPath keyPath: some Collection<String>) {
            guard let key = keyPath.first else { return }
            if !nodes.contains(where: { $0.key == key }) { nodes.append(Node(key: key)) }
            for index in nodes.indices where nodes[index].key == key {
                if keyPath.count == 1 {
                    nodes[index].rows = rows
                } else {
                    nodes[index].inner.setRows(rows, forKeyPath: keyPath.dropFirst())
                }
            }
        }
    }
}
