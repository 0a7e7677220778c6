/// The columns of tables read by analysed queries, by the numbers of the tables.
///
/// They are those for which the server checks the privilege to read: a missing one would be readable without
/// the privilege.
struct TreeColumns: Equatable {
    struct Columns: Equatable {
        var isAll = false
        var numbers: Set<Int> = []

        mutating func formUnion(_ other: Columns) {
            isAll = isAll || other.isAll
            numbers.formUnion(other.numbers)
        }
    }

    private(set) var columns: [UInt32: Columns] = [:]
    /// How often each table occurs in the trees.
    private(set) var occurrences: [UInt32: Int] = [:]
    /// The tables with reads of a system column, such as `ctid`. `tableoid` does not count: a row that moves
    /// to another partition is deleted and inserted.
    private(set) var withSystemColumns: Set<UInt32> = []

    /// The number in a set of columns that stands for the whole row. The columns follow it, and the system
    /// columns precede it.
    private static let wholeRow = 7
    private static let tableNumber = 1

    /// - Parameter isPart: whether only a part of the rows matters, which may depend on their order.
    mutating func add(_ tree: QueryTree, isPart: Bool) {
        var found: [UInt32: Columns] = [:]
        var named: Set<UInt32> = []
        for node in tree.nodes.indices {
            let type = tree.nodes[node].type
            guard ["RANGETBLENTRY", "RTE", "RTEPERMISSIONINFO"].contains(type),
                let table: UInt32 = tree.number(node, "relid"), table != 0
            else { continue }
            if type != "RTEPERMISSIONINFO" {
                occurrences[table, default: 0] += 1
                named.insert(table)
                if isPart { found[table, default: Columns()].isAll = true }
                // A sample depends on the places of rows, which updates change.
                if tree.nodes[node].fields["tablesample"] != nil, !tree.isEmpty(node, "tablesample") {
                    found[table, default: Columns()].isAll = true
                    withSystemColumns.insert(table)
                }
            }
            guard let numbers = tree.numbers(node, "selectedCols") else { continue }
            if numbers.contains(where: { $0 < Self.wholeRow && $0 != Self.tableNumber }) {
                withSystemColumns.insert(table)
            }
            found[table, default: Columns()].formUnion(
                Columns(
                    isAll: numbers.contains(Self.wholeRow),
                    numbers: Set(numbers.map { $0 - Self.wholeRow }.filter { $0 > 0 })))
        }
        for table in named {
            columns[table, default: Columns()].formUnion(found[table] ?? Columns(isAll: true))
        }
    }

    /// Adds the conditions of a table's policies. They have no list of the columns of that table.
    mutating func add(policies tree: QueryTree, of table: UInt32) {
        let readsSystemColumn = tree.nodes.indices.contains { node in
            guard tree.nodes[node].type == "VAR", let number: Int = tree.number(node, "varattno") else {
                return false
            }
            return number < 0 && number + Self.wholeRow != Self.tableNumber
        }
        if readsSystemColumn { withSystemColumns.insert(table) }
    }
}

extension QueryTree {
    /// Whether a query returns a part of its rows that may depend on their order, which updates change.
    var returnsPartOfRows: Bool {
        nodes.indices.contains { node in
            nodes[node].type == "QUERY"
                && (["limitCount", "limitOffset"].contains {
                    nodes[node].fields[$0] != nil && !isEmpty(node, $0)
                }
                    || word(node, "hasDistinctOn") == "true")
        }
    }

    /// Whether the last query has one row. The first row of a function's last query is its result.
    var returnsOneRow: Bool {
        guard let query = lastQuery, word(query, "hasTargetSRFs") == "false",
            ["groupClause", "groupingSets", "setOperations"].allSatisfy({ isEmpty(query, $0) })
        else { return false }
        if word(query, "hasAggs") == "true" { return true }
        return child(query, "jointree").map { isEmpty($0, "fromlist") } ?? false
    }

    private var lastQuery: Int? {
        var items = top
        while case .list(let inner)? = items.last { items = inner }
        guard case .node(let node)? = items.last, nodes[node].type == "QUERY" else { return nil }
        return node
    }
}
