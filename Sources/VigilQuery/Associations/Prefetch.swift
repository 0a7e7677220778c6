import VigilEngine
import VigilRegions
import VigilStorage

extension Query {
    /// The prefetched associations, also of joined tables.
    var prefetchedAssociations: [_SQLAssociation] {
        guard !children.isEmpty else { return [] }
        return children.flatMap { child -> [_SQLAssociation] in
            guard child.kind != .prefetched else { return [_SQLAssociation(child.step)] }
            return child.query.prefetchedAssociations.map { association in
                var step = child.step
                // The association joins this table itself.
                step.query.children.removeAll {
                    $0.kind.isJoined && $0.key == association.pivot.keyName
                }
                return association.through(_SQLAssociation(step))
            }
        }
    }
}

extension QueryChild {
    fileprivate var step: _SQLAssociation.Step {
        .init(key: .fixed(key), condition: condition, query: query, isToOne: isToOne)
    }
}

/// The requests of the rows of a prefetched association.
struct PrefetchedRequests {
    let keyPath: [String]
    /// One, or several if there are more keys than parameters.
    let requests: [QueryInterfaceRequest<Row>]
}

/// The fetch of the associated rows of a request's rows: one statement for all of them.
struct Prefetch {
    let association: _SQLAssociation
    /// The table of the request.
    private let table: String
    /// Pairs of columns compared: one of the request's table, and one of the association's first table.
    let columns: [JoinedColumns]

    init(_ association: _SQLAssociation, of table: String, _ db: Database) throws {
        self.association = association
        self.table = table
        guard case .foreignKey(let condition) = association.pivot.condition else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    the association \(association.pivot.keyName) has no foreign key and cannot be prefetched: use \
                    including(optional:) or including(required:)
                    """)
        }
        columns = try condition.columns(db, from: table)
    }

    func fetch(_ db: Database, into rows: [Row]) throws {
        guard !rows.isEmpty else { return }
        let (keys, comparison) = try keys(db, of: rows)
        let groups =
            try fetchTogether(db, keys, comparing: comparison)
            ?? fetchSeparately(db, keys, comparing: comparison)
        for (row, group) in zip(rows, groups) {
            row.prefetchedRows.setRows(group, forKeyPath: association.keyPath)
        }
    }

    /// Returns the requests of the associated rows, without the columns of the key.
    func requests(_ db: Database, for rows: [Row]) throws -> PrefetchedRequests {
        let (keys, comparison) = try keys(db, of: rows)
        let parts = PrefetchKeys(keys).parts(
            parameterLimit: db.maximumStatementArgumentCount, isRepeated: comparison.convertsRight)
        return PrefetchedRequests(
            keyPath: association.keyPath,
            requests: parts.map { part in
                let condition = part.condition(columns.map(\.right), converting: comparison.conversions)
                return query(where: condition, selectsKey: false)
            })
    }

    /// Returns the keys of rows of the request.
    private func keys(_ db: Database, of rows: [Row]) throws -> ([[DatabaseValue]], KeyComparison) {
        let indexes = try rows.first.map { row in try columns.map { try index(of: $0.left, in: row) } } ?? []
        let comparison = try KeyComparison(
            columns, left: table, right: association.pivot.query.table, db)
        return (
            rows.map { row in comparison.compared(indexes.map { row.databaseValue(at: $0) }) }, comparison
        )
    }

    private func index(of column: String, in row: Row) throws -> Int {
        if let index = row.index(ofColumn: column) { return index }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                the association \(association.keyPath.joined(separator: ".")) is prefetched by the column \
                \(column), which the request does not select: select it too
                """)
    }

    /// Fetches the associated rows of all keys together, and assigns each row to the keys equal to its own.
    ///
    /// - Returns: The rows of each key. A key containing NULL has no rows. `nil` if the equality of keys is
    ///   uncertain.
    private func fetchTogether(
        _ db: Database, _ keys: [[DatabaseValue]], comparing comparison: KeyComparison
    ) throws -> [[Row]]? {
        guard columns.count == 1 || !comparison.convertsRight else { return nil }
        let keysInSwift = keys.compactMap(comparison.left)
        guard keysInSwift.count == keys.count else { return nil }
        let known = Set(keysInSwift)
        var groups: [[DatabaseValue]: [Row]] = [:]
        let limit = db.maximumStatementArgumentCount
        for part in PrefetchKeys(keys).parts(parameterLimit: limit, isRepeated: comparison.convertsRight) {
            for (key, row) in try fetch(db, part, comparing: comparison) {
                guard let key = comparison.right(key) else { return nil }
                // Rows of other keys meet only conditions with conversions.
                guard known.contains(key) || comparison.convertsRight else { return nil }
                groups[key, default: []].append(row)
            }
        }
        return keysInSwift.map { groups[$0] ?? [] }
    }

    /// Fetches the associated rows of each key by a separate statement.
    private func fetchSeparately(
        _ db: Database, _ keys: [[DatabaseValue]], comparing comparison: KeyComparison
    ) throws -> [[Row]] {
        var groups: [[DatabaseValue]: [Row]] = [:]
        for key in keys where groups[key] == nil && !key.contains(where: \.isNull) {
            groups[key] = try fetch(db, PrefetchKeys([key]), comparing: comparison).map(\.row)
        }
        return keys.map { groups[$0] ?? [] }
    }

    /// Fetches the associated rows of keys, each with its key.
    private func fetch(
        _ db: Database, _ keys: PrefetchKeys, comparing comparison: KeyComparison
    ) throws -> [(key: [DatabaseValue], row: Row)] {
        let condition = keys.condition(columns.map(\.right), converting: comparison.conversions)
        let rows = try query(where: condition).fetchAll(db)
        // The columns of the key are the last ones.
        let end = rows.first?.count ?? 0
        return rows.map { row in ((end - columns.count..<end).map { row.databaseValue(at: $0) }, row) }
    }

    /// Returns the request of the rows with keys meeting a condition.
    ///
    /// - Parameter selectsKey: whether the columns of the key come last.
    private func query(
        where condition: SQLExpression?, selectsKey: Bool = true
    ) -> QueryInterfaceRequest<Row> {
        let alias = TableAliasBase(name: nil)
        var query = association.with { association in
            association.pivot.query.aliases.append(alias)
            if let condition { association.pivot.query.filters.append(.value(condition)) }
        }.destinationQuery()
        if let grouping = query.grouping {
            let (table, isDirect) = (query.table, association.withoutDestination == nil)
            query.grouping = .deferred { [columns] db in
                let grouping = try grouping.resolve(db)
                let names = grouping.compactMap(\.columnName)
                let hasOneKey = try isDirect && QueryTable.named(table, db).hasOneRow(inGroupsBy: names)
                // Rows of different keys are not in one group.
                return hasOneKey ? grouping : grouping + columns.map { .init(.columnOf(alias, $0.right)) }
            }
        }
        guard selectsKey else { return QueryInterfaceRequest(query) }
        // The columns have the same names as in GRDB, so programs can find them in the rows.
        query.selection.append(
            .value(
                columns.map { pair in
                    SQLSelection(.named(SQLExpression(.columnOf(alias, pair.right)), "grdb_\(pair.right)"))
                }))
        return QueryInterfaceRequest(query)
    }

    /// Returns the region of all rows that may be associated, with the columns of the key.
    func region(_ db: Database) throws -> DatabaseRegion { try query(where: nil).databaseRegion(db) }
}

extension QueryInterfaceRequest {
    func makeAssociatedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
        let (statement, adapter) = try query.makeJoinedStatement(db, forSingleResult: singleResult)
        var request = PreparedRequest(statement: statement, adapter: adapter)
        let associations = query.prefetchedAssociations
        guard !associations.isEmpty else { return request }
        let table = query.table
        let prefetchedRegion: (Database) throws -> DatabaseRegion = { db in
            try associations.reduce(into: DatabaseRegion()) { region, association in
                try region.formUnion(Prefetch(association, of: table, db).region(db))
            }
        }
        statement.prefetchedRegion = prefetchedRegion
        if db.recordsConstantRegion {
            // Later fetches may find other keys.
            let region = try prefetchedRegion(db)
            try db.registerAccess(to: region)
        }
        request.supplementaryFetch = { db, rows in
            guard !rows.isEmpty else { return }
            for association in associations {
                try Prefetch(association, of: table, db).fetch(db, into: rows)
            }
        }
        request.prefetchedRequests = { db, rows in
            guard !rows.isEmpty else { return [] }
            return try associations.map { association in
                try Prefetch(association, of: table, db).requests(db, for: rows)
            }
        }
        return request
    }
}
