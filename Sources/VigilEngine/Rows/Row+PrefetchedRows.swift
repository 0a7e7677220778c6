extension Row {
    /// The rows that were fetched along with a row, for associations to many, by the key of the association.
    public struct PrefetchedRowsView: Equatable, Sendable {
        /// In the order in which they were set.
        private var nodes: [Node] = []

        private struct Node: Equatable {
            let key: String
            /// `nil` for an association that is only passed through.
            var rows: [Row]?
            var inner = PrefetchedRowsView()
        }

        /// Whether no association was prefetched.
        public var isEmpty: Bool { nodes.isEmpty }

        /// The keys of all associations with prefetched rows, inner ones included.
        public var keys: Set<String> {
            nodes.reduce(into: []) { keys, node in
                if node.rows != nil { keys.insert(node.key) }
                keys.formUnion(node.inner.keys)
            }
        }

        /// The rows of the association of that key that is the least deep; `nil` if none was prefetched.
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

        /// What was prefetched for the row of the scope `key`.
        func inner(_ key: String) -> PrefetchedRowsView? { nodes.first { $0.key == key }?.inner }

        /// Sets the rows of the association that is reached by these keys.
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
