import VigilStorage

/// Follows the references of query trees through the catalog: from views, policies and functions to tables.
///
/// Its queries qualify no names: the session's search path is `pg_catalog`.
struct CatalogWalk {
    private let connection: PostgresConnection
    private let harmless: Set<UInt32>
    private(set) var reads = QueryReads()
    private var references = TreeReferences()
    private var visited = TreeReferences()
    /// The references of queries that return a part of their rows, which may depend on their order.
    private var partial = TreeReferences()
    private var visitedPartial = TreeReferences()
    private var columns = TreeColumns()
    /// The query itself, for its conditions.
    private var query: QueryTree?
    /// The tables by their numbers.
    private var tables: [UInt32: QueryReads.Table] = [:]
    /// The tables with policies for rows, which read other columns, and may fail.
    private var restricted: Set<UInt32> = []

    /// - Parameter harmless: the built-in functions that read nothing.
    init(_ connection: PostgresConnection, harmless: Set<UInt32>) {
        self.connection = connection
        self.harmless = harmless
    }

    /// A reason not to know the reads, or an error of the server.
    enum Failure: Error {
        case unknown(String)
        case server(StorageError)
    }

    /// Adds the reads of a tree.
    mutating func add(_ tree: String) throws(Failure) { _ = try parse(tree) }

    /// Adds the reads of the query itself, and its conditions.
    mutating func add(query text: String) throws(Failure) { query = try parse(text) }

    /// - Parameter isCut: returns whether only a part of the tree's rows may be used.
    private mutating func parse(
        _ text: String, isCut: (QueryTree) -> Bool = { _ in false }
    ) throws(Failure) -> QueryTree {
        var found = TreeReferences()
        do throws(TreeReferences.Unknown) {
            try found.add(text)
        } catch {
            throw .unknown(error.reason)
        }
        if found.containsRoles { addUnreported("roles", "a role is renamed without a change of rows") }
        references.formUnion(found)
        do throws(NodeTree.Malformed) {
            let tree = try QueryTree(text)
            let isPart = tree.returnsPartOfRows || isCut(tree)
            if isPart { partial.formUnion(found) }
            columns.add(tree, isPart: isPart)
            return tree
        } catch {
            throw .unknown("the query tree of the server cannot be read")
        }
    }

    /// Adds what any query may call without naming it: conversions to domains and to JSON, and the functions
    /// of types that compare values.
    mutating func addImplicitCalls() throws(Failure) {
        for row in try read(Self.implicitSQL) {
            if let tree = row[0] { try add(tree) }
            if let function = row[1].flatMap({ UInt32($0) }) { references.functions.insert(function) }
        }
    }

    private static let implicitSQL = """
        SELECT conbin::text, NULL FROM pg_constraint WHERE contypid <> 0 AND conbin IS NOT NULL AND oid >= 16384
        UNION ALL SELECT NULL, castfunc FROM pg_cast WHERE oid >= 16384 AND casttarget IN (114, 3802)
        UNION ALL SELECT NULL, amproc::oid FROM pg_amproc WHERE oid >= 16384
        UNION ALL SELECT NULL, oprcode::oid FROM pg_amop a JOIN pg_operator o ON o.oid = amopopr WHERE a.oid >= 16384
        UNION ALL SELECT NULL, unnest(ARRAY[rngcanonical::oid, rngsubdiff::oid]) FROM pg_range WHERE rngtypid >= 16384
        """

    /// Follows all references, and returns the reads.
    ///
    /// - Parameters:
    ///   - implicit: the reads that any query may have.
    ///   - catalog: how values are compared.
    mutating func run(
        besides implicit: QueryReads = QueryReads(), _ catalog: ComparisonCatalog = ComparisonCatalog()
    ) throws(Failure) -> QueryReads {
        try follow()
        try addColumns(besides: implicit, catalog)
        return reads.union(implicit)
    }

    /// Adds the columns of the tables, and the conditions of the query.
    private mutating func addColumns(
        besides implicit: QueryReads, _ catalog: ComparisonCatalog
    ) throws(Failure) {
        guard !tables.isEmpty else { return }
        var catalog = catalog
        do throws(StorageError) {
            try catalog.readColumns(of: tables.keys, connection)
        } catch {
            throw .server(error)
        }
        for (number, table) in tables {
            if columns.withSystemColumns.contains(number) {
                addUnreported("\(table.schema).\(table.name)", "a system column changes with each update")
            }
            guard !restricted.contains(number), let read = columns.columns[number], !read.isAll else {
                continue
            }
            let names = read.numbers.map { catalog.columns[number]?[$0]?.name }
            var known: Set<String> = []
            guard names.allSatisfy({ $0.map { known.insertExactly($0) } == true }) else { continue }
            reads.columns[table] = known
        }
        guard let query else { return }
        reads.hasOneRow = query.returnsOneRow
        let candidates = tables.filter { number, table in
            columns.occurrences[number] == 1 && !restricted.contains(number)
                && !implicit.tables.contains(table)
        }
        let conditions = QueryConditions(query, catalog, tables: Set(candidates.keys))
        for (number, tests) in conditions.tests {
            guard let table = conditions.tables[number].flatMap({ tables[$0] }) else { continue }
            reads.conditions[table] = tests
        }
        (reads.parameterTypes, reads.arrayTypes) = (
            conditions.parameterTypes.mapValues(catalog.convertedType),
            conditions.arrayTypes.mapValues(catalog.convertedType)
        )
        reads.refusal = conditions.refusal
    }

    private mutating func follow() throws(Failure) {
        while true {
            let relations = unvisited(\.relations)
            let functions = unvisited(\.functions).subtracting(harmless).filter { $0 != 0 }
            let operators = references.operators.subtracting(visited.operators)
                .filter { $0 >= TreeReferences.firstUserObject }
            if relations.isEmpty, functions.isEmpty, operators.isEmpty { return }
            (visited, visitedPartial) = (references, partial)
            if !relations.isEmpty { try follow(relations: relations) }
            if !operators.isEmpty { try follow(operators: operators) }
            if !functions.isEmpty { try follow(functions: functions) }
        }
    }

    /// Returns the objects to follow, again if only a part of their rows may be used.
    private func unvisited(_ objects: KeyPath<TreeReferences, Set<UInt32>>) -> Set<UInt32> {
        references[keyPath: objects].subtracting(visited[keyPath: objects])
            .union(partial[keyPath: objects].subtracting(visitedPartial[keyPath: objects]))
    }

    // MARK: - Tables

    private mutating func follow(relations: Set<UInt32>) throws(Failure) {
        let rows = try read(Self.relationSQL, relations)
        guard rows.count == relations.count else { throw .unknown("a table was dropped in the meantime") }
        for row in rows {
            let (schema, name) = (row[1] ?? "", row[2] ?? "")
            let table = QueryReads.Table(schema: schema, name: name)
            let spelling = "\(schema).\(name)"
            if row[4] == "t" { throw .unknown("\(name) is temporary") }
            guard let number = row[0].flatMap({ UInt32($0) }), number >= TreeReferences.firstUserObject else {
                addUnreported(spelling, "part of the catalog of the server")
                continue
            }
            switch row[3] {
            case "r", "p":
                reads.tables.insert(table)
                tables[number] = table
                if row[4] != "p" { addUnreported(spelling, "an unlogged table") }
                if let policies = row[6] {
                    restricted.insert(number)
                    columns.add(policies: try parse(policies), of: number)
                }
                if row[7] == "t" { try addChildren(of: number) }
            case "v":
                guard let rule = row[5] else { throw .unknown("the view \(name) has no query") }
                let isPart = partial.relations.contains(number)
                _ = try parse(rule) { _ in isPart }
            case "m": addUnreported(spelling, "a materialized view")
            case "f": addUnreported(spelling, "a foreign table")
            case "S": addUnreported(spelling, "a sequence")
            default: addUnreported(spelling, "not a table")
            }
        }
    }

    private static let relationSQL = """
        SELECT c.oid, nspname, relname, relkind, relpersistence,
            CASE relkind WHEN 'v' THEN (SELECT string_agg(ev_action::text, ' ') FROM pg_rewrite
                WHERE ev_class = c.oid AND ev_type = '1') END,
            CASE WHEN relrowsecurity THEN (SELECT string_agg(polqual::text, ' ') FROM pg_policy
                WHERE polrelid = c.oid) END,
            relhassubclass OR relkind = 'p'
        FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = ANY ($1::oid[])
        """

    private mutating func addChildren(of table: UInt32) throws(Failure) {
        for row in try read(Self.childSQL, [table]) {
            let child = QueryReads.Table(schema: row[0] ?? "", name: row[1] ?? "")
            let spelling = "\(child.schema).\(child.name)"
            switch (row[2], row[3]) {
            case ("p", _): break
            case ("r", "p"): reads.children.insert(child)
            case ("r", "u"): addUnreported(spelling, "an unlogged table")
            case ("f", _): addUnreported(spelling, "a foreign table")
            default: addUnreported(spelling, "a temporary table, or not a table")
            }
        }
    }

    private static let childSQL = """
        WITH RECURSIVE d AS (SELECT inhrelid FROM pg_inherits WHERE inhparent = ANY ($1::oid[])
            UNION SELECT i.inhrelid FROM pg_inherits i JOIN d ON i.inhparent = d.inhrelid)
        SELECT nspname, relname, relkind, relpersistence FROM d JOIN pg_class c ON c.oid = inhrelid
            JOIN pg_namespace n ON n.oid = relnamespace
        """

    // MARK: - Functions

    private mutating func follow(operators: Set<UInt32>) throws(Failure) {
        for row in try read("SELECT oprcode::oid FROM pg_operator WHERE oid = ANY ($1::oid[])", operators) {
            if let function = row[0].flatMap({ UInt32($0) }) { references.functions.insert(function) }
        }
    }

    private mutating func follow(functions: Set<UInt32>) throws(Failure) {
        let rows = try read(Self.functionSQL, functions)
        guard rows.count == functions.count else {
            throw .unknown("a function was dropped in the meantime")
        }
        for row in rows {
            let name = row[1] ?? ""
            let number = row[0].flatMap { UInt32($0) }
            let isBuiltIn = number.map { $0 < TreeReferences.firstUserObject } ?? false
            if let defaults = row[6] { try add(defaults) }
            if let body = row[5] {
                let isPart = number.map { partial.functions.contains($0) } ?? true
                let returnsSet = row[8] == "t"
                // A function that returns one value returns that of the first row.
                _ = try parse(body) { returnsSet ? isPart : !$0.returnsOneRow }
            } else if isBuiltIn {
                if name == HarmlessFunctions.settingFunction { reads.mayChangeSession = true }
                addUnreported("\(name)()", "a function of the server that may read anything")
            } else if row[3] == "a" {
                for support in (row[7] ?? "").split(separator: " ") {
                    if let function = UInt32(support) { references.functions.insert(function) }
                }
            } else if row[2] != "i" || row[4] != "c" && row[4] != "internal" {
                // It may read tables, and change settings. Immutable functions of extensions only compute.
                reads.mayChangeSession = true
                addUnreported("\(name)()", "a function whose body the server does not analyse")
            }
        }
    }

    private static let functionSQL = """
        SELECT p.oid, proname, provolatile, prokind, lanname, prosqlbody::text, proargdefaults::text,
            (SELECT concat_ws(' ', aggtransfn::oid, aggfinalfn::oid, aggcombinefn::oid, aggserialfn::oid,
                aggdeserialfn::oid, aggmtransfn::oid, aggminvtransfn::oid, aggmfinalfn::oid)
                FROM pg_aggregate WHERE aggfnoid = p.oid),
            proretset
        FROM pg_proc p JOIN pg_language l ON l.oid = prolang WHERE p.oid = ANY ($1::oid[])
        """

    // MARK: - The server

    private mutating func addUnreported(_ name: String, _ explanation: String) {
        reads.unreported.insert(.init(name: name, explanation: explanation))
    }

    private func read(_ sql: String, _ numbers: Set<UInt32>? = nil) throws(Failure) -> [TextRow] {
        do throws(StorageError) {
            return try connection.query(
                sql, numbers.map { ["{\($0.map(String.init).joined(separator: ","))}"] } ?? [])
        } catch {
            throw .server(error)
        }
    }
}
