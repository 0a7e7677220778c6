/// The nodes of an analysed query, by their fields.
struct QueryTree {
    /// A part of a field.
    enum Item: Equatable {
        case word(String)
        /// The number of a node.
        case node(Int)
        case list([Item])
    }

    struct Node {
        var type: String
        fileprivate(set) var fields: [String: [Item]] = [:]
    }

    /// The nodes, each before the nodes in its fields.
    private(set) var nodes: [Node] = []
    /// The items outside of all nodes.
    private(set) var top: [Item] = []

    /// The largest number of lists directly inside of each other.
    private static let listLimit = 8

    /// A node or list that is being read.
    private struct Open {
        /// `nil` for a list.
        var node: Int?
        var field = ""
        var items: [Item] = []
        var listDepth = 0
    }

    init(_ text: String) throws(NodeTree.Malformed) {
        var reader = NodeTree(text)
        var open: [Open] = [Open()]
        while let token = try reader.nextToken() {
            let last = open.count - 1
            switch token {
            case .node(let type):
                open.append(Open(node: nodes.count))
                nodes.append(Node(type: type))
            case .list:
                let depth = open[last].node == nil ? open[last].listDepth + 1 : 0
                guard depth <= Self.listLimit else { throw NodeTree.Malformed() }
                open.append(Open(listDepth: depth))
            case .field(let name):
                endField(of: &open[last])
                open[last].field = name
            case .word(let word): open[last].items.append(.word(word.text))
            case .end:
                var ended = open.removeLast()
                endField(of: &ended)
                open[last - 1].items.append(ended.node.map { Item.node($0) } ?? .list(ended.items))
            }
        }
        top = open[0].items
    }

    private mutating func endField(of open: inout Open) {
        guard let node = open.node else { return }
        nodes[node].fields[open.field] = open.items
        open.items = []
    }
}

extension QueryTree {
    /// The top node of a text with one query, in lists or not.
    var query: Int? {
        var items = top
        while items.count == 1, case .list(let inner) = items[0] { items = inner }
        guard items.count == 1, case .node(let node) = items[0], nodes[node].type == "QUERY" else {
            return nil
        }
        return node
    }

    /// Returns the only word of a field.
    func word(_ node: Int, _ field: String) -> String? {
        guard let items = nodes[node].fields[field], items.count == 1, case .word(let word) = items[0] else {
            return nil
        }
        return word
    }

    func number<Number: FixedWidthInteger>(_ node: Int, _ field: String) -> Number? {
        word(node, field).flatMap { Number($0) }
    }

    /// Returns the only node of a field; `nil` for an empty field, and for any other one.
    func child(_ node: Int, _ field: String) -> Int? {
        guard let items = nodes[node].fields[field], items.count == 1, case .node(let child) = items[0] else {
            return nil
        }
        return child
    }

    /// Returns the nodes in the list of a field, none for an empty field; `nil` if it has anything else.
    func children(_ node: Int, _ field: String) -> [Int]? {
        guard let items = nodes[node].fields[field] else { return nil }
        if items == [.word("<>")] { return [] }
        guard items.count == 1, case .list(let list) = items[0] else { return nil }
        var children: [Int] = []
        for item in list {
            guard case .node(let child) = item else { return nil }
            children.append(child)
        }
        return children
    }

    /// Returns whether a field is empty.
    func isEmpty(_ node: Int, _ field: String) -> Bool { nodes[node].fields[field] == [.word("<>")] }

    /// Returns the numbers of a set such as `(b 8 9)`.
    func numbers(_ node: Int, _ field: String) -> [Int]? {
        guard let items = nodes[node].fields[field], items.count == 1, case .list(let list) = items[0],
            list.first == .word("b")
        else { return nil }
        var numbers: [Int] = []
        for item in list.dropFirst() {
            guard case .word(let word) = item, let number = Int(word) else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    /// Returns the bytes of a constant such as `4 [ 5 0 0 0 0 0 0 0 ]`.
    func bytes(_ node: Int, _ field: String) -> [UInt8]? {
        guard let items = nodes[node].fields[field], items.count >= 3, items[1] == .word("["),
            items.last == .word("]")
        else { return nil }
        var bytes: [UInt8] = []
        for item in items[2..<(items.count - 1)] {
            // Negative numbers in earlier versions.
            guard case .word(let word) = item, let number = Int(word), (-128...255).contains(number) else {
                return nil
            }
            bytes.append(UInt8(truncatingIfNeeded: number))
        }
        return bytes
    }
}
