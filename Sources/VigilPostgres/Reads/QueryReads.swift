import VigilStorage

/// The reads of a query, found in the analysed trees of itself, its views, policies and functions.
struct QueryReads: Sendable, Equatable {
    /// A table in the catalog, by its names there.
    struct Table: Sendable, Hashable {
        var schema: String
        var name: String

        static func == (a: Table, b: Table) -> Bool {
            a.schema.isIdentical(to: b.schema) && a.name.isIdentical(to: b.name)
        }

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
    /// The read columns of tables; any column of other tables.
    var columns: [Table: Set<String>] = [:]
    /// The conditions that rows must meet to make a difference. Parameters have the server's numbers.
    var conditions: [Table: [RowConditionTemplate]] = [:]
    /// The types of the parameters in ``conditions``.
    var parameterTypes: [Int: ComparedType] = [:]
    /// The types of the elements of parameters that are arrays.
    var arrayTypes: [Int: ComparedType] = [:]
    /// Why the query has no conditions, although it may have some.
    var refusal: String?
    /// The tables below ``tables``, whose rows are read too.
    var children: Set<Table> = []
    /// Reads whose changes are not reported as changes of a table, with the reasons.
    var unreported: Set<Reason> = []
    /// Whether the query certainly has at most one row, so that no row comes before another.
    var hasOneRow = false
    /// Whether running the query can change the settings of the session, and thereby the meaning of others.
    var mayChangeSession = false

    /// Adds reads without conditions, of tables without conditions.
    func union(_ other: QueryReads) -> QueryReads {
        var union = self
        for table in other.tables where union.tables.insert(table).inserted {
            union.columns[table] = other.columns[table]
        }
        for table in tables.intersection(other.tables) {
            union.columns[table] = columns[table].flatMap { own in
                guard let others = other.columns[table] else { return nil }
                var all = own
                return others.allSatisfy { all.insertExactly($0) } ? all : nil
            }
        }
        union.children.formUnion(other.children)
        union.unreported.formUnion(other.unreported)
        union.mayChangeSession = mayChangeSession || other.mayChangeSession
        return union
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
        var read: [TableName: Set<String>?] = [:]
        for table in tables {
            // The columns of a table with several spellings are not known.
            guard let name = table.name(mainSchema: feed.mainSchema) else { continue }
            let isKnown = read[name] == nil && isReported(table, by: feed)
            read.updateValue(isKnown ? columns[table] : nil, forKey: name)
        }
        let isComplete = tables.union(children).allSatisfy { isReported($0, by: feed) }
        if !isComplete || !unreported.isEmpty {
            read.updateValue(nil, forKey: ReportedTables.unreported)
        }
        return read.sorted { $0.key.precedes($1.key) }.map { TableRead($0.key, columns: $0.value) }
    }

    /// The columns that may decide which rows come first. An update of any column can move a row.
    func orderingReads(reportedBy feed: ReportedTables.State) -> [TableRead] {
        if hasOneRow || readsRowByKey(feed) { return [] }
        return tables.filter { isReported($0, by: feed) }.compactMap { $0.name(mainSchema: feed.mainSchema) }
            .sorted { $0.precedes($1) }.map { TableRead($0, columns: nil) }
    }

    /// Whether the query reads a single row, found by its key.
    private func readsRowByKey(_ feed: ReportedTables.State) -> Bool {
        guard tables.count == 1, children.isEmpty, let table = tables.first,
            let name = table.name(mainSchema: feed.mainSchema), let key = feed.rowIDs[name]
        else { return false }
        return (conditions[table] ?? []).contains { condition in
            guard case .named(let column) = condition.column, column.isSameName(as: key),
                case .oneOf(let operands) = condition.test, operands.count == 1
            else { return false }
            if case .elements = operands[0] { return false }
            return true
        }
    }

    /// The conditions on the rows of tables whose changes are reported by row.
    ///
    /// - Parameter parameters: the index of each parameter of the server.
    func report(reportedBy feed: ReportedTables.State, parameters: [Int]) -> RowConditionReport {
        var report = RowConditionReport()
        for (table, templates) in conditions where isReported(table, by: feed) {
            guard let name = table.name(mainSchema: feed.mainSchema) else { continue }
            let rowID = feed.rowIDs[name]
            let tests = templates.compactMap { $0.numbered(parameters, rowID: rowID) }
            if !tests.isEmpty { report.tables.append(TableConditions(name, alternatives: [tests])) }
        }
        report.tables.sort { $0.table.precedes($1.table) }
        return report
    }

    /// The reads not reported under their names, with the reasons.
    func omissions(reportedBy feed: ReportedTables.State) -> [RowConditionReport.Omission] {
        let tables = tables.union(children).filter { !isReported($0, by: feed) }
            .map { (text: "\($0.schema).\($0.name)", reason: "its changes are not reported by table") }
        let refusals = refusal.map { [("WHERE", $0)] } ?? []
        return (unreported.map { ($0.name, $0.explanation) } + tables + refusals).sorted { $0 < $1 }
            .map { .init(text: $0.0, reason: $0.1) }
    }
}

/// The reads of a query, or why they are not known.
enum QueryAnalysis: Sendable, Equatable {
    case known(QueryReads)
    /// The query counts as reading the whole database.
    case unknown(reason: String)
    /// It counts so for now, because an analysis has failed, and may succeed later.
    case unavailable(reason: String)

    var isUnavailable: Bool { if case .unavailable = self { true } else { false } }

    var mayChangeSession: Bool {
        switch self {
        case .known(let reads): reads.mayChangeSession
        case .unknown, .unavailable: true
        }
    }

    /// Adds the reads to the access of a statement, unless they are unknown.
    func addReads(to access: inout StatementAccess, reportedBy feed: ReportedTables.State) {
        guard case .known(let reads) = self else { return }
        access.readsUnknown = false
        access.reads = reads.access(reportedBy: feed)
    }

    /// The conditions, none if the reads are unknown.
    func report(reportedBy feed: ReportedTables.State, parameters: [Int]) -> RowConditionReport {
        guard case .known(let reads) = self else { return RowConditionReport() }
        return reads.report(reportedBy: feed, parameters: parameters)
    }
}

extension RowConditionTemplate {
    /// Returns the condition with the statement's indexes of parameters, and the row id in place of its
    /// column.
    fileprivate func numbered(_ parameters: [Int], rowID: String?) -> RowConditionTemplate? {
        func index(_ number: Int) -> Int? {
            parameters.indices.contains(number - 1) ? parameters[number - 1] : nil
        }
        func numbered(_ operand: Operand) -> Operand? {
            switch operand {
            case .value, .near: operand
            case .parameter(let number): index(number).map { .parameter($0) }
            case .elements(let number): index(number).map { .elements($0) }
            }
        }
        var template = self
        if case .named(let name) = column, let rowID, name.isSameName(as: rowID) { template.column = .rowID }
        switch test {
        case .oneOf(let operands):
            let all = operands.compactMap(numbered)
            guard all.count == operands.count else { return nil }
            template.test = .oneOf(all)
        case .range(let lower, let upper):
            let bounds = [lower, upper].map { bound in
                bound.flatMap { bound in
                    numbered(bound.operand).map { Bound($0, isIncluded: bound.isIncluded) }
                }
            }
            template.test = .range(lower: bounds[0], upper: bounds[1])
        case .identical, .isNull, .isNotNull, .matches: break
        }
        return template
    }
}
