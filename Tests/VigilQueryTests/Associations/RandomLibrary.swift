import Vigil

/// A random schema of tables, each of which but the first refers to another one, with random requests and
/// changes.
struct RandomLibrary {
    /// The type of a table's primary key.
    private enum Key: CaseIterable {
        case rowID, text, composite

        var columns: [String] {
            switch self {
            case .rowID, .text: ["k"]
            case .composite: ["k", "l"]
            }
        }

        /// The types of the columns.
        var types: [String] {
            switch self {
            case .rowID: ["INTEGER"]
            case .text: ["TEXT"]
            case .composite: ["INT", "TEXT"]
            }
        }

        func randomValues(_ random: inout SeededNumbers) -> [String] {
            switch self {
            case .rowID: ["\(1 + random.next(6))"]
            case .text: ["'k\(random.next(6))'"]
            case .composite: ["\(random.next(3))", "'\(random.next(2))'"]
            }
        }
    }

    private struct Node {
        var key: Key
        /// The index of the table that this one refers to; `nil` for the first one.
        var parent: Int?
    }

    private let nodes: [Node]

    init(_ random: inout SeededNumbers) {
        nodes = (0..<(2 + random.next(4))).map { index in
            Node(
                key: Key.allCases[random.next(Key.allCases.count)],
                parent: index == 0 ? nil : random.next(index))
        }
    }

    private func name(_ index: Int) -> String { "table\(Character(UnicodeScalar(UInt8(97 + index))))" }

    private func children(of index: Int) -> [Int] { nodes.indices.filter { nodes[$0].parent == index } }

    /// The columns that refer to the parent.
    private func reference(_ index: Int) -> [String] {
        nodes[index].parent.map { nodes[$0].key.columns.map { "parent\($0)" } } ?? []
    }

    var schema: String {
        nodes.indices.map { index in
            let (node, key) = (nodes[index], nodes[index].key)
            var columns = zip(key.columns, key.types).map { "\($0) \($1)" }
            if let parent = node.parent {
                columns += zip(reference(index), nodes[parent].key.types).map { "\($0) \($1)" }
            }
            columns += ["x INT", "y TEXT", "PRIMARY KEY(\(key.columns.joined(separator: ", ")))"]
            return "CREATE TABLE \(name(index))(\(columns.joined(separator: ", ")))"
        }.joined(separator: ";")
    }

    // MARK: - Changes

    /// Returns a random statement.
    func change(_ random: inout SeededNumbers) -> String {
        let index = random.next(nodes.count)
        let key = nodes[index].key
        let values = key.randomValues(&random)
        let condition = zip(key.columns, values).map { "\($0) = \($1)" }.joined(separator: " AND ")
        switch random.next(8) {
        case 0..<4:
            let all =
                values + referenceValues(index, &random) + ["\(random.next(10))", "'y\(random.next(3))'"]
            return "INSERT OR REPLACE INTO \(name(index)) VALUES (\(all.joined(separator: ", ")))"
        case 4: return "DELETE FROM \(name(index)) WHERE \(condition)"
        case 5: return "UPDATE \(name(index)) SET x = \(random.next(10)) WHERE \(condition)"
        case 6: return "UPDATE \(name(index)) SET y = 'y\(random.next(3))' WHERE \(condition)"
        default:
            let pairs = zip(reference(index), referenceValues(index, &random)).map { "\($0) = \($1)" }
            return
                "UPDATE \(name(index)) SET \((pairs + ["x = x"]).joined(separator: ", ")) WHERE \(condition)"
        }
    }

    private func referenceValues(_ index: Int, _ random: inout SeededNumbers) -> [String] {
        guard let parent = nodes[index].parent else { return [] }
        if random.once(in: 6) { return reference(index).map { _ in "NULL" } }
        return nodes[parent].key.randomValues(&random)
    }

    // MARK: - Requests

    private typealias ToMany = HasManyAssociation<Row, Row>
    private typealias ToOne = BelongsToAssociation<Row, Row>

    private func foreignKey(_ index: Int) -> ForeignKey {
        ForeignKey(reference(index), to: nodes[index].parent.map { nodes[$0].key.columns })
    }

    private func table(_ index: Int) -> Table<Row> { Table<Row>(name(index)) }

    private func toChildren(_ child: Int) -> ToMany {
        table(nodes[child].parent ?? 0).hasMany(table(child), key: "of\(child)", using: foreignKey(child))
    }

    private func toParent(_ child: Int) -> ToOne {
        table(child).belongsTo(
            table(nodes[child].parent ?? 0), key: "parent\(child)", using: foreignKey(child))
    }

    /// Returns a random request of a random table, with random associations.
    func request(_ random: inout SeededNumbers) -> QueryInterfaceRequest<Row> {
        let index = random.next(nodes.count)
        var request = table(index).orderByPrimaryKey()
        if random.once(in: 2) { request = request.filter(Column("x") < 3 + random.next(7)) }
        for child in children(of: index) {
            switch random.next(5) {
            case 0: request = request.annotated(with: toChildren(child).count)
            case 1: request = request.having(toChildren(child).isEmpty == false)
            case 2: request = request.annotated(with: toChildren(child).max(Column("x")))
            default: break
            }
        }
        return associated(request, index, &random, depth: 2)
    }

    private func associated<Request: JoinableRequest<Row>>(
        _ request: Request, _ index: Int, _ random: inout SeededNumbers, depth: Int
    ) -> Request {
        guard depth > 0 else { return request }
        var request = request
        for child in children(of: index) where random.once(in: 2) {
            var association = toChildren(child).orderByPrimaryKey()
            if random.once(in: 3) { association = association.filter(Column("x") > random.next(6)) }
            request = request.including(all: associated(association, child, &random, depth: depth - 1))
        }
        if let parent = nodes[index].parent {
            let association = associated(toParent(index), parent, &random, depth: depth - 1)
            switch random.next(4) {
            case 0: request = request.including(optional: association)
            case 1: request = request.including(required: association)
            case 2: request = request.joining(required: toParent(index).filter(Column("x") < 8))
            default: break
            }
        }
        return request
    }
}

extension Row {
    /// The values of the row, of its scopes and of its prefetched rows.
    var tree: String {
        let inner = scopes.map { "\($0)=\($1.tree)" }
        let prefetched = prefetchedRows.keys.sorted().map { key in
            "\(key)=[\((prefetchedRows[key] ?? []).map(\.tree).joined(separator: ", "))]"
        }
        return "{\(([description] + inner + prefetched).joined(separator: " "))}"
    }
}
