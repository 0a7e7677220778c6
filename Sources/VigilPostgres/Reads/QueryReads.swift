import VigilStorage

/// The reads of a query, found in the analysed trees of itself, its views, policies and functions.
struct QueryReads: Sendable, Equatable {
    /// A table in the catalog, by its names there.
    struct Table: Sendable, Hashable {
        var schema: String
        var name: String

        /// Returns the name used by a feed.
        ///
        /// - Parameter mainSchema: the schema called `main` by the feed.
        /// - Returns: the name; `nil` if another schema has this name in the reports of the feed.
        func name(mainSchema: String) -> TableName? {
            if schema == mainSchema { return TableName(name: name) }
            let isTaken =
                schema.isSameName(as: SchemaNaming.main) || schema.isSameName(as: SchemaNaming.temporary)
            return isTaken ? nil : TableName(schema: schema, name: name)
        }
    }

    /// The tables named by the query. Rows of partitions and children belong to the named table.
    var tables: Set<Table> = []
    /// The tables below ``tables``, whose rows are read too.
    var children: Set<Table> = []
    /// Reads whose changes are not reported as changes of a table, with the reasons.
    var unreported: Set<Reason> = []
    /// Whether running the query can change the settings of the session, and thereby the meaning of others.
    var mayChangeSession = false

    func union(_ other: QueryReads) -> QueryReads {
        QueryReads(
            tables: tables.union(other.tables), children: children.union(other.children),
            unreported: unreported.union(other.unreported),
            mayChangeSession: mayChangeSession || other.mayChangeSession)
    }

    /// Something that a query reads, and why its changes are not reported.
    struct Reason: Sendable, Hashable {
        var name: String
        var explanation: String
    }
}

extension QueryReads {
    /// Whether changes of a table are reported under its name.
    private func isReported(_ table: Table, by feed: ReportedTables.State) -> Bool {
        guard let name = table.name(mainSchema: feed.mainSchema), let tables = feed.tables else {
            return false
        }
        return tables.contains(name)
    }

    /// The access of the tables, and of everything not reported under its name.
    func access(reportedBy feed: ReportedTables.State) -> [TableRead] {
        var names = Set(tables.compactMap { $0.name(mainSchema: feed.mainSchema) })
        let isComplete = tables.union(children).allSatisfy { isReported($0, by: feed) }
        if !isComplete || !unreported.isEmpty { names.insert(ReportedTables.unreported) }
        return names.sorted { $0.precedes($1) }.map { TableRead($0) }
    }

    /// The reads not reported under their names, with the reasons.
    func omissions(reportedBy feed: ReportedTables.State) -> [RowConditionReport.Omission] {
        let tables = tables.union(children).filter { !isReported($0, by: feed) }
            .map { (text: "\($0.schema).\($0.name)", reason: "its changes are not reported by table") }
        return (unreported.map { ($0.name, $0.explanation) } + tables).sorted { $0 < $1 }
            .map { .init(text: $0.0, reason: $0.1) }
    }
}

/// The reads of a query, or why they are not known.
enum QueryAnalysis: Sendable, Equatable {
    case known(QueryReads)
    /// The query counts as reading the whole database.
    case unknown(reason: String)

    var mayChangeSession: Bool {
        switch self {
        case .known(let reads): reads.mayChangeSession
        case .unknown: true
        }
    }

    /// Adds the reads to the access of a statement, unless they are unknown.
    func addReads(to access: inout StatementAccess, reportedBy feed: ReportedTables.State) {
        guard case .known(let reads) = self else { return }
        access.readsUnknown = false
        access.reads = reads.access(reportedBy: feed)
    }
}
