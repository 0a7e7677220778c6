import CVigilSQLite
import VigilStorage

extension SQLiteConnection {
    /// Adds the tables without reported columns, for a library that does not report such reads. The tables
    /// written by the statement are left out: a fetch depends on them only if another statement reads them.
    func addReadsWithoutColumn(of sql: String, to access: inout StatementAccess) {
        let createsTable = access.changesSchema && SQLTokens(sql).contains("TABLE")
        guard access.isReadOnly || !access.writes.isEmpty || createsTable else { return }
        let written = access.writes.map(\.table)
        addUnreportedReads(of: sql, except: written, to: &access)
    }

    /// Adds tables without reported columns: `COUNT(*)` has none with older libraries, and `USING` has none
    /// with all libraries.
    ///
    /// Each table name among the words of the statement counts as a read of that table, and views are
    /// expanded. Views without tables count as reads of themselves. This may widen the access, but never
    /// narrows it.
    func addUnreportedReads(
        of sql: String, except others: [TableName] = [], to access: inout StatementAccess
    ) {
        guard SQLTokens(sql).contains("SELECT"), handle != nil else { return }
        guard let schemas = try? schemasInSearchOrder() else {
            access.readsUnknown = true
            return
        }
        var known = Set(access.reads.map(\.table) + others)
        var seenWords: Set<ExactString> = []
        var pending = SQLTokens(sql).possibleTableNames
        var readViews: [TableName] = []
        var knownViews: [String: [StorageSchemaObject]] = [:]
        func views(in schema: String) -> [StorageSchemaObject] {
            if let known = knownViews[schema] { return known }
            let views = (try? storedObjects([.view], in: schema)) ?? []
            knownViews[schema] = views
            return views
        }
        while let word = pending.popLast() {
            guard seenWords.insert(ExactString(word.foldedName)).inserted else { continue }
            for schema in schemas {
                let name = TableName(schema: schema, name: word)
                if isTable(name) {
                    if known.insert(name).inserted { access.reads.append(TableRead(name, columns: [])) }
                } else if let view = views(in: schema).first(where: { $0.name.isSameName(as: word) }) {
                    readViews.append(TableName(schema: schema, name: view.name))
                    pending += SQLTokens(view.sql ?? "").possibleTableNames
                }
            }
        }
        if access.reads.isEmpty { access.reads = readViews.map { TableRead($0, columns: []) } }
    }
}
