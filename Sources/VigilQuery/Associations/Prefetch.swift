public import VigilEngine
public import VigilRegions
import VigilStorage

extension Query {
    /// The associations whose rows are prefetched, including those of joined tables.
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

/// The fetch of the rows that an association links to the rows of a request: one statement for all of them.
struct Prefetch {
    let association: _SQLAssociation
    /// The columns of the request's table, and those of the association's first table that equal them.
    let columns: [JoinedColumns]

    /// - Parameter table: The table of the request.
    init(_ association: _SQLAssociation, of table: String, _ db: Database) throws {
        self.association = association
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

    /// Fetches the associated rows of all rows.
    func fetch(_ db: Database, into rows: [Row]) throws {
        guard let first = rows.first else { return }
        let indexes = try columns.map { try index(of: $0.left, in: first) }
        let keys = rows.map { row in indexes.map { row.databaseValue(at: $0) } }
        let groups = try fetchGroups(db, PrefetchKeys(keys))
        for (row, key) in zip(rows, keys) {
            row.prefetchedRows.setRows(groups[key] ?? [], forKeyPath: association.keyPath)
        }
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

    /// Fetches the associated rows by key. Rows without a key, or with a key that contains NULL, have none.
    private func fetchGroups(_ db: Database, _ keys: PrefetchKeys) throws -> [[DatabaseValue]: [Row]] {
        var groups: [[DatabaseValue]: [Row]] = [:]
        let columns = columns.map(\.right)
        for part in keys.parts(parameterLimit: db.maximumStatementArgumentCount) {
            let rows = try query(where: part.condition(columns)).fetchAll(db)
            guard let first = rows.first else { continue }
            // The columns of the key are the last ones.
            let start = first.count - columns.count
            for row in rows {
                groups[(start..<first.count).map { row.databaseValue(at: $0) }, default: []].append(row)
            }
        }
        return groups
    }

    /// Returns the request of the rows whose key meets a condition, with the columns of the key.
    private func query(where condition: SQLExpression?) -> QueryInterfaceRequest<Row> {
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
                let hasOneKey = try isDirect && QueryTable.named(table, db).uniqueKey(among: names) != nil
                // Rows of different keys are not in one group.
                return hasOneKey ? grouping : grouping + columns.map { .init(.columnOf(alias, $0.right)) }
            }
        }
        // The names of these columns are those of GRDB, so that programs can find them in the rows.
        query.selection.append(
            .value(
                columns.map { pair in
                    SQLSelection(.named(SQLExpression(.columnOf(alias, pair.right)), "grdb_\(pair.right)"))
                }))
        return QueryInterfaceRequest(query)
    }

    /// Returns the region of all rows that can be associated, with the columns of the key.
    func region(_ db: Database) throws -> DatabaseRegion { try query(where: nil).databaseRegion(db) }
}

extension QueryInterfaceRequest {
    /// Prepares a request with associations.
    func makeAssociatedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
        let (statement, adapter) = try query.makeJoinedStatement(db, forSingleResult: singleResult)
        var request = PreparedRequest(statement: statement, adapter: adapter)
        let associations = query.prefetchedAssociations
        guard !associations.isEmpty else { return request }
        let table = query.table
        if db.recordsConstantRegion {
            // Later fetches may find other keys.
            for association in associations {
                let region = try Prefetch(association, of: table, db).region(db)
                try db.registerAccess(to: region)
            }
        }
        request.supplementaryFetch = { db, rows in
            guard !rows.isEmpty else { return }
            for association in associations {
                try Prefetch(association, of: table, db).fetch(db, into: rows)
            }
        }
        return request
    }

    /// Returns the region of the request and of its prefetched associations. The latter are restricted by no keys,
    /// because those are known once the request is fetched.
    ///
    /// - Throws: `DatabaseError` if the request cannot be prepared.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        let region = try makePreparedRequest(db).statement.boundRegion
        guard !query.children.isEmpty, !region.isEmpty else { return region }
        return try query.prefetchedAssociations.reduce(region) { region, association in
            try region.union(Prefetch(association, of: query.table, db).region(db))
        }
    }
}
