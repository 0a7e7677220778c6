import VigilStorage

/// The tables of a publication, and the names under which their changes are reported.
struct PublishedTables: Equatable, Sendable {
    /// A relation of the catalog: a published table, or a partitioned table above published ones.
    struct Relation: Equatable {
        enum Kind: Equatable {
            /// The stream contains each change of its own rows.
            case published
            /// It has no rows of its own.
            case partitioned
        }

        var id: UInt32
        var name: TableName
        var kind: Kind
        var key = Key()
        /// The columns that the stream does not contain.
        var generatedColumns: [String] = []
    }

    /// The primary key of a table.
    struct Key: Equatable, Sendable {
        /// The columns; none without a primary key.
        var columns: [String] = []
        /// Whether it is a single integer, which takes the place of a row id.
        var isRowID = false
    }

    /// The tables that the rows of a relation belong to: its own, and all tables above it.
    final class Targets: Sendable, Equatable {
        struct Table: Sendable, Equatable {
            var name: TableName
            var key: Key
        }

        let tables: [Table]
        /// The columns of the relation that the stream does not contain.
        let generatedColumns: [String]

        init(_ tables: [Table], generatedColumns: [String] = []) {
            self.tables = tables
            self.generatedColumns = generatedColumns
        }

        static func == (a: Targets, b: Targets) -> Bool {
            a.tables == b.tables && a.generatedColumns == b.generatedColumns
        }

        /// Returns the other tables.
        func without(_ names: Set<TableName>) -> Targets {
            guard tables.contains(where: { names.contains($0.name) }) else { return self }
            return Targets(
                tables.filter { !names.contains($0.name) }, generatedColumns: generatedColumns)
        }
    }

    /// A table below another one: a partition or a child.
    struct Inheritance: Equatable {
        var child: UInt32
        var parent: UInt32
    }

    /// Changes with the rows of the catalog that describe the publication, even if they are the same again.
    private let version: String
    /// By the number of the relation.
    private let targets: [UInt32: Targets]
    /// All names, each of a table whose changes are reported completely.
    let reported: Set<TableName>
    /// The schema that the names call `main`.
    let mainSchema: String
    /// The column of each table that takes the place of a row id.
    let rowIDs: [TableName: String]

    init(
        _ relations: [Relation], inheritance: [Inheritance], mainSchema: String = "public",
        version: String = ""
    ) {
        self.mainSchema = mainSchema
        self.version = version
        var unreported = Self.collisions(relations)
        let known = Dictionary(relations.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let parents = Dictionary(grouping: inheritance, by: \.child)
        // Tables above an unreported one are not reported completely.
        var queue = Array(unreported) + inheritance.map(\.child).filter { known[$0] == nil }
        while let relation = queue.popLast() {
            for above in parents[relation] ?? [] where unreported.insert(above.parent).inserted {
                queue.append(above.parent)
            }
        }
        var targets: [UInt32: Targets] = [:]
        for relation in relations where relation.kind == .published {
            var seen: Set<UInt32> = [relation.id]
            var queue = [relation.id]
            var tables: [Targets.Table] = []
            while let id = queue.popLast() {
                if !unreported.contains(id), let table = known[id] {
                    tables.append(.init(name: table.name, key: table.key))
                }
                for above in parents[id] ?? [] where seen.insert(above.parent).inserted {
                    queue.append(above.parent)
                }
            }
            if tables.isEmpty { continue }
            tables.sort { $0.name.precedes($1.name) }
            targets[relation.id] = Targets(tables, generatedColumns: relation.generatedColumns)
        }
        self.targets = targets
        let reported = relations.filter { !unreported.contains($0.id) }
        self.reported = Set(reported.map(\.name))
        rowIDs = Dictionary(
            reported.compactMap { table in
                table.key.isRowID ? table.key.columns.first.map { (table.name, $0) } : nil
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the relations with equal names: a report would not show which one has changed.
    private static func collisions(_ relations: [Relation]) -> Set<UInt32> {
        Set(Dictionary(grouping: relations, by: \.name).values.filter { $0.count > 1 }.joined().map(\.id))
    }

    /// Returns the names under which a change of relations is reported.
    func names(of relations: Set<UInt32>) -> Set<TableName> {
        relations.reduce(into: []) { names, relation in
            for table in targets[relation]?.tables ?? [] { names.insert(table.name) }
        }
    }

    /// Returns the rows with the tables that they change, besides tables in which any row may have changed.
    func reports(of rows: [StreamedRow], besides names: Set<TableName>) -> [ReportedRow] {
        rows.compactMap { row in
            guard let targets = targets[row.relation.id]?.without(names), !targets.tables.isEmpty else {
                return nil
            }
            return ReportedRow(row: row, targets: targets)
        }
    }
}

/// A changed row, and the tables that it belongs to.
struct ReportedRow: Equatable, Sendable {
    var row: StreamedRow
    var targets: PublishedTables.Targets
}

/// The content of a stream.
enum Publication: Equatable, Sendable {
    case tables(PublishedTables)
    /// The server, the role or the publication does not allow a stream.
    case unavailable(reason: String)
}

/// The catalog of a server, as far as a feed depends on it.
struct PublicationState: Equatable, Sendable {
    var publication: Publication
    /// Read before the publication: see ``PostgresConnection/catalogVersion(includesAllRoles:)``.
    var catalog: String
    /// The run of the server, see ``PostgresConnection/serverIdentitySQL``.
    var server: String
}
