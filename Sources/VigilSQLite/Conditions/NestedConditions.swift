package import VigilStorage

/// The conditions in a query's views and common tables, for diagnostics: none of them restrict its rows.
package struct NestedConditions {
    package private(set) var omissions: [RowConditionReport.Omission] = []
    private let views: [String: String]
    private var listedViews: Set<String> = []

    package init(sql: String, views: [(name: String, sql: String)]) {
        self.views = Dictionary(
            views.map { ($0.name.foldedName, $0.sql) }, uniquingKeysWith: { first, _ in first })
        let tokens = SQLTokens(sql)
        let commonTables = CommonTables(tokens.tokens[...]).tables
        for table in commonTables {
            list(table.body, of: "the common table \(table.name)", in: sql)
        }
        listViews(namedIn: tokens, except: Set(commonTables.map(\.name.foldedName)))
    }

    private mutating func listViews(namedIn tokens: SQLTokens, except hidden: Set<String> = []) {
        for name in tokens.possibleTableNames where !hidden.contains(name.foldedName) {
            guard let sql = views[name.foldedName], listedViews.insert(name.foldedName).inserted else {
                continue
            }
            let definition = SQLTokens(sql)
            list(definition.tokens[...], of: "the view \(name)", in: sql)
            listViews(namedIn: definition)
        }
    }

    private mutating func list(_ tokens: ArraySlice<SQLToken>, of source: String, in sql: String) {
        let bytes = Array(sql.utf8)
        for condition in tokens.conditions {
            guard let first = condition.first, let last = condition.last else { continue }
            let text = String(decoding: bytes[first.range.lowerBound..<last.range.upperBound], as: UTF8.self)
            omissions.append(.init(text: text, reason: "a condition of \(source)"))
        }
    }
}

private struct CommonTables {
    struct Table {
        let name: String
        let body: ArraySlice<SQLToken>
    }

    private(set) var tables: [Table] = []

    init(_ tokens: ArraySlice<SQLToken>) {
        guard tokens.first?.isWord("WITH") == true else { return }
        var rest = tokens.dropFirst()
        if rest.first?.isWord("RECURSIVE") == true { rest = rest.dropFirst() }
        while let table = Self.removeTable(&rest) {
            tables.append(table)
            guard rest.first?.isSymbol(",") == true else { return }
            rest = rest.dropFirst()
        }
    }

    private static func removeTable(_ tokens: inout ArraySlice<SQLToken>) -> Table? {
        guard let name = tokens.popFirst() else { return nil }
        if tokens.first?.isSymbol("(") == true {
            guard let end = tokens.closingIndex else { return nil }
            tokens = tokens[(end + 1)...]
        }
        while let token = tokens.first, token.isWord(in: ["as", "not", "materialized"]) {
            tokens = tokens.dropFirst()
        }
        guard tokens.first?.isSymbol("(") == true, let end = tokens.closingIndex else { return nil }
        defer { tokens = tokens[(end + 1)...] }
        return Table(name: name.content, body: tokens[(tokens.startIndex + 1)..<end])
    }
}

extension ArraySlice<SQLToken> {
    /// The expressions after WHERE, ON and HAVING that are not part of each other.
    fileprivate var conditions: [ArraySlice<SQLToken>] {
        var found: [ArraySlice<SQLToken>] = []
        var index = startIndex
        while index < endIndex {
            guard self[index].isWord(in: ["where", "on", "having"]) else {
                index += 1
                continue
            }
            let end = self.end(ofExpressionAt: index + 1)
            found.append(self[(index + 1)..<end])
            index = end
        }
        return found
    }

    private func end(ofExpressionAt start: Index) -> Index {
        let followers = SQLKeywords.joins.union([
            "except", "group", "having", "intersect", "join", "limit", "on", "order", "union", "where",
            "window",
        ])
        var index = start
        while index < endIndex {
            let token = self[index]
            if token.isSymbol("(") {
                guard let close = self[index...].closingIndex else { return endIndex }
                index = close
            } else if token.isSymbol(")") || token.isSymbol(",") || token.isSymbol(";")
                || token.isWord(in: followers)
            {
                return index
            }
            index += 1
        }
        return endIndex
    }
}
