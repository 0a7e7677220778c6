import CVigilSQLite
import VigilStorage

/// Finds how changed rows of a table lead to the rows of a query that they belong to, by equal values.
///
/// A *place* is an entry of a FROM clause: of the query, or of a query nested in it. In a condition
/// `w.c = f.k` that must be true, a row at the place `w` matters only to the rows at the place `f` that have
/// its value. The same applies to its absence in `NOT EXISTS`, in an aggregate, and on the right of a
/// LEFT JOIN, where it must be true for a match. A chain of such conditions leads to a source of the query.
struct ValueLinks {
    /// A column in such a condition.
    private struct Column {
        /// The name; `nil` for the row id.
        let name: String?
        let collation: RowCondition.Collation
        let affinity: ColumnAffinity
    }

    /// A condition by which the rows at one place matter only to the rows of another one with the same value.
    private struct Edge {
        let from: (place: Int, column: Column)
        let to: (place: Int, column: Column)
    }

    /// A query, or one nested in it.
    private struct Scope {
        /// The query around it; `nil` for the planned one.
        let outer: Int?
        let outline: SelectOutline
        let places: Range<Int>
    }

    private let connection: SQLiteConnection
    private var places: [TableOccurrence] = []
    private var scopes: [Scope] = []
    /// The scopes by the position of their first token.
    private var scopeAtPosition: [Int: Int] = [:]
    private var edges: [Edge] = []

    init(
        _ outline: SelectOutline, _ occurrences: [TableOccurrence], in tokens: [SQLToken],
        connection: SQLiteConnection
    ) throws(StorageError) {
        self.connection = connection
        guard connection.storesUTF8 else { return }
        addScope(outline, occurrences, outer: nil)
        try addScopes(in: tokens[...].dropFirst(), outer: 0)
        for scope in scopes.indices { addEdges(of: scope) }
    }

    /// The number of places in nested queries with a table.
    func nestedCount(of table: TableName) -> Int {
        places.dropFirst(scopes.first?.places.count ?? 0).count { $0.table == table }
    }

    /// Returns the links from all places with a table that are not sources themselves.
    ///
    /// - Parameter sources: the places of the query whose rows are looked up.
    /// - Returns: `nil` if there is a place without a link.
    func links(from table: TableName, to sources: [Int]) -> [ListPlan.Link]? {
        var links: [ListPlan.Link] = []
        for place in places.indices where places[place].table == table && !sources.contains(place) {
            guard let path = path(from: place, to: sources), let link = link(along: path, to: sources) else {
                return nil
            }
            if !links.contains(link) { links.append(link) }
        }
        return links
    }

    // MARK: - Places

    private mutating func addScope(
        _ outline: SelectOutline, _ occurrences: [TableOccurrence], outer: Int?
    ) {
        let start = places.count
        places += occurrences
        scopes.append(Scope(outer: outer, outline: outline, places: start..<places.count))
    }

    /// Adds the queries nested in some tokens. Those that are not understood have no places.
    private mutating func addScopes(in tokens: ArraySlice<SQLToken>, outer: Int) throws(StorageError) {
        var index = tokens.startIndex
        while index < tokens.endIndex {
            guard tokens[index].isSymbol("("), let end = tokens[index...].closingIndex, index + 1 < end,
                tokens[index + 1].isWord(in: ["select", "with"])
            else {
                index += 1
                continue
            }
            if tokens[index + 1].isWord("WITH") {
                // A name in it may be that of a common table expression.
                index = end + 1
                continue
            }
            let inner = Array(tokens[(index + 1)..<end])
            if let outline = try? SelectOutline(inner), let occurrences = try occurrences(outline) {
                scopeAtPosition[inner[0].range.lowerBound] = scopes.count
                addScope(outline, occurrences, outer: outer)
                try addScopes(in: inner[1...], outer: scopes.count - 1)
            }
            index = end + 1
        }
    }

    /// Returns the tables of a nested query; `nil` if they are not understood.
    private func occurrences(_ outline: SelectOutline) throws(StorageError) -> [TableOccurrence]? {
        guard let from = try? FromClause(outline.sources) else { return nil }
        var occurrences: [TableOccurrence] = []
        for source in from.sources {
            if source.isOptional, source.condition?.contains(where: \.mayBePattern) == true { return nil }
            guard let metadata = try connection.table(meantBy: source), metadata.table.kind == .table,
                !metadata.table.name.isOfLibrary
            else { return nil }
            occurrences.append(TableOccurrence(source: source, metadata: metadata))
        }
        return occurrences
    }

    // MARK: - Conditions

    private mutating func addEdges(of scope: Int) {
        let places = scopes[scope].places
        let inner = places.filter { !self.places[$0].source.isOptional }
        if let condition = scopes[scope].outline.condition { addEdges(in: condition, of: scope, from: inner) }
        for place in places {
            guard let condition = self.places[place].source.condition else { continue }
            // The condition of a LEFT JOIN need not be true for rows at other places.
            let isOptional = self.places[place].source.isOptional
            addEdges(in: condition, of: scope, from: isOptional ? [place] : inner)
        }
    }

    private mutating func addEdges(in condition: ArraySlice<SQLToken>, of scope: Int, from sources: [Int]) {
        for case .expression(let tokens) in ConditionConjuncts(condition).parts {
            guard let left = ColumnReference(tokens), let (place, column) = column(left, in: scope) else {
                continue
            }
            let rest = tokens.dropFirst(left.length)
            if rest.first?.isSymbol("=") == true || rest.first?.isSymbol("==") == true {
                guard let right = ColumnReference(rest.dropFirst()), right.length == rest.count - 1,
                    let (other, key) = self.column(right, in: scope), other != place
                else { continue }
                if sources.contains(place) { addEdge(from: place, column, to: other, key) }
                if sources.contains(other) { addEdge(from: other, key, to: place, column) }
            } else if rest.first?.isWord("IN") == true {
                addEdge(ofList: rest.dropFirst(), to: place, column)
            }
        }
    }

    /// Adds the edge of `f.k IN (SELECT w.c …)`. Another value of `w.c` makes it false or unknown.
    private mutating func addEdge(ofList tokens: ArraySlice<SQLToken>, to place: Int, _ key: Column) {
        guard tokens.first?.isSymbol("(") == true, tokens.closingIndex == tokens.endIndex - 1,
            let position = tokens.dropFirst().first?.range.lowerBound,
            let scope = scopeAtPosition[position]
        else { return }
        let outline = scopes[scope].outline
        guard !outline.hasGroups, outline.limit == nil,
            let result = ColumnReference(outline.resultColumns),
            result.length == outline.resultColumns.count,
            let (inner, column) = column(result, in: scope), scopes[scope].places.contains(inner),
            !places[inner].source.isOptional, column.affinity == key.affinity
        else { return }
        addEdge(from: inner, column, to: place, key)
    }

    /// Adds an edge, if a comparison of the key with a value of the column alone has the same result as a
    /// comparison of the columns.
    private mutating func addEdge(from place: Int, _ column: Column, to other: Int, _ key: Column) {
        let isSame =
            switch key.affinity {
            case .numeric: true
            case .text: column.affinity == .text
            default: column.affinity == .none
            }
        guard isSame, column.collation == key.collation else { return }
        edges.append(Edge(from: (place, column), to: (other, key)))
    }

    // MARK: - Names

    /// Returns the column that a name in a query means; `nil` if it is uncertain.
    private func column(_ reference: ColumnReference, in scope: Int) -> (place: Int, column: Column)? {
        guard let name = reference.parts.last?.content, reference.parts.count <= 2 else { return nil }
        var scope: Int? = scope
        while let current = scope.map({ scopes[$0] }) {
            var candidates = current.places.map { $0 }
            if reference.parts.count == 2 {
                candidates = candidates.filter { places[$0].isNamed(reference.parts[0].content) }
                if !candidates.isEmpty {
                    guard candidates.count == 1 else { return nil }
                    return column(name, at: candidates[0])
                }
            } else {
                let found = candidates.filter { places[$0].column(named: name) != nil }
                if !found.isEmpty { return found.count == 1 ? column(name, at: found[0]) : nil }
                // It may be a row id, or the alias of a result.
                let mayMeanOther =
                    ["rowid", "_rowid_", "oid"].contains(name.foldedName)
                    || current.outline.resultColumns.contains { $0.content.isSameName(as: name) }
                if mayMeanOther { return nil }
            }
            scope = current.outer
        }
        return nil
    }

    private func column(_ name: String, at place: Int) -> (place: Int, column: Column)? {
        let metadata = places[place].metadata
        guard let column = places[place].column(named: name) else {
            guard places[place].hasRowID(named: name) else { return nil }
            return (place, Column(name: nil, collation: .binary, affinity: .numeric))
        }
        if metadata.table.rowIDColumn?.isSameName(as: column.name) == true {
            return (place, Column(name: nil, collation: .binary, affinity: .numeric))
        }
        guard let affinity = ColumnAffinity(declaredType: column.type), metadata.imageColumns != nil,
            !metadata.generatedColumns.contains(ExactString(column.name)),
            let collation = connection.collation(of: column.name, in: metadata.table.name)
        else { return nil }
        return (
            place,
            Column(name: column.name, collation: collation, affinity: affinity == .real ? .numeric : affinity)
        )
    }

    // MARK: - Links

    /// Returns the shortest way to a source.
    private func path(from place: Int, to sources: [Int]) -> [Edge]? {
        var paths: [[Edge]] = edges.filter { $0.from.place == place }.map { [$0] }
        var visited: Set<Int> = [place]
        while !paths.isEmpty {
            var longer: [[Edge]] = []
            for path in paths {
                guard let end = path.last?.to.place else { continue }
                if sources.contains(end) { return path }
                guard visited.insert(end).inserted else { continue }
                longer += edges.filter { $0.from.place == end && !visited.contains($0.to.place) }.map {
                    path + [$0]
                }
            }
            paths = longer
        }
        return nil
    }

    /// Returns the link along a path; `nil` if the rows at its end cannot be named.
    private func link(along path: [Edge], to sources: [Int]) -> ListPlan.Link? {
        guard let first = path.first, let end = path.last?.to.place,
            let source = sources.firstIndex(of: end),
            let rowID = places[end].rowIDName
        else { return nil }
        var tables: [String] = []
        var conditions: [String] = []
        for (index, edge) in path.enumerated() {
            let table = places[edge.to.place].table
            tables.append("\(table.schema.quotedSQLName).\(table.name.quotedSQLName) AS \(alias(index))")
            guard let key = name(of: edge.to.column, at: edge.to.place) else { return nil }
            var value = "?1"
            if index > 0 {
                guard let column = name(of: edge.from.column, at: edge.from.place) else { return nil }
                value = "\(alias(index - 1)).\(column)"
            }
            conditions.append("\(alias(index)).\(key) = \(value)")
        }
        return ListPlan.Link(
            places[first.from.place].table, column: first.from.column.name.map { .named($0) } ?? .rowID,
            source: source,
            sql: "SELECT \(alias(path.count - 1)).\(rowID) FROM \(tables.joined(separator: ", ")) WHERE "
                + conditions.joined(separator: " AND "))
    }

    private func alias(_ index: Int) -> String { "\"vigil.\(index + 1)\"" }

    private func name(of column: Column, at place: Int) -> String? {
        column.name?.quotedSQLName ?? places[place].rowIDName
    }
}

extension TableOccurrence {
    /// The name of the table in the statement.
    var effectiveName: String { source.alias ?? source.name }

    /// The name of the row id; `nil` if columns hide it.
    var rowIDName: String? { ["rowid", "_rowid_", "oid"].first(where: hasRowID) }

    /// The row id of the table in SQL; `nil` if columns hide it.
    var rowIDText: String? {
        rowIDName.map { "\(effectiveName.quotedSQLName).\($0)" }
    }
}
