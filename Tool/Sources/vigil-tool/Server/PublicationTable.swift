import Foundation
import Vigil

/// A table on a server, with what the stream of changes contains of its rows.
struct PublicationTable: Equatable {
    enum Kind: Equatable {
        case ordinary, partitioned, unlogged, foreign
        /// A table in another format than a heap. The server does not decode its rows.
        case otherAccessMethod
    }

    /// The values that are known before a row is updated or deleted.
    enum Identity: Equatable {
        case full
        /// The columns of the primary key, or of another unique index.
        case columns([String], isPrimaryKey: Bool)
        case none
    }

    /// Another unique index that can be the identity.
    struct Candidate: Equatable {
        /// The name in SQL.
        var name: String
        var columns: [String]
    }

    /// The name in SQL, with its schema unless it is in the search path.
    var spelling: String
    var kind: Kind
    var isPartition: Bool
    /// Whether the publication names the table, or a table above the partition.
    var isPublished: Bool
    /// Whether observations know the changed rows.
    var isReported: Bool
    /// Whether the publication has a row filter or a list of columns for the table.
    var isFiltered: Bool
    var identity: Identity
    var hasPrimaryKey: Bool
    var candidates: [Candidate]
    /// The partitions and children at all levels.
    var descendants: [PublicationTable] = []

    /// The tables with the rows of the table.
    var parts: [PublicationTable] { ([self] + descendants).filter { $0.kind != .partitioned } }

    /// The names of the tables missing in the publication, with the syntax of its statements.
    var additions: [String] {
        let parts = parts
        let missing = parts.filter { !$0.isPublished }
        guard kind != .partitioned else {
            // Partitions of the future are published with it.
            return !isPublished && (parts.isEmpty || !missing.isEmpty) ? [spelling] : []
        }
        // The name alone includes the children. The server refuses published ones.
        return missing.count == parts.count ? [spelling] : missing.map { "ONLY \($0.spelling)" }
    }

    /// The statement that makes more conditions exact, and its price; `nil` if all are.
    var improvement: (sql: String, price: String)? {
        guard kind == .ordinary else { return nil }
        let known = if case .columns(let columns, _) = identity { Set(columns) } else { Set<String>() }
        if identity == .full { return nil }
        if let better = candidates.max(by: { $0.columns.count < $1.columns.count }),
            Set(better.columns).isStrictSuperset(of: known)
        {
            return (
                "ALTER TABLE \(spelling) REPLICA IDENTITY USING INDEX \(better.name)",
                "conditions on \(better.columns.joined(separator: ", ")) become exact, at no measurable price"
            )
        }
        return (
            "ALTER TABLE \(spelling) REPLICA IDENTITY FULL",
            "all conditions and columns become exact; updates and deletions then write the old row to the log: 1.3 times "
                + "as much for small rows, up to 14 times for rows with large values"
        )
    }
}

extension PublicationTable {
    /// Reads tables.
    ///
    /// - Parameter names: the names, with a schema or without one; empty for all tables of the search path.
    static func fetchAll(_ db: Database, publication: String, names: [String]) throws -> [PublicationTable] {
        let catalog = PublicationCatalog(
            db: db, publication: publication,
            reported: try db.reportedTables(ofPublication: publication))
        if names.isEmpty {
            return try catalog.tables(
                where: "n.nspname = ANY (current_schemas(false)) AND pg_table_is_visible(c.oid)")
        }
        return try names.map { name in
            guard let table = try catalog.tables(where: "c.oid = to_regclass(?2)", name).first else {
                throw Failure("no such table: \(name)")
            }
            return table
        }
    }
}

/// Reads the tables of a server.
private struct PublicationCatalog {
    let db: Database
    let publication: String
    let reported: Set<TableName>

    /// - Parameter argument: the value of the parameter `?2` in the condition.
    func tables(
        where condition: String, _ argument: (any DatabaseValueConvertible)? = nil
    ) throws -> [PublicationTable] {
        try rows(where: condition, argument).map { row in
            var table = try table(row)
            table.descendants = try rows(where: Self.isDescendant, row["oid"] as Int64).map(self.table)
            return table
        }
    }

    private func rows(
        where condition: String, _ argument: (any DatabaseValueConvertible)?
    ) throws -> [Row] {
        var arguments: [(any DatabaseValueConvertible)?] = [publication]
        if let argument { arguments.append(argument) }
        return try Row.fetchAll(
            db, sql: "\(Self.tableSQL) WHERE \(condition) ORDER BY c.relname",
            arguments: StatementArguments(arguments))
    }

    private static let isDescendant = """
        c.oid IN (WITH RECURSIVE below (id) AS (SELECT inhrelid FROM pg_inherits WHERE inhparent = ?2::oid
            UNION SELECT inhrelid FROM pg_inherits JOIN below ON id = inhparent) SELECT id FROM below)
        """

    private static let tableSQL = """
        WITH RECURSIVE published (id) AS (
            SELECT c.oid FROM pg_class c JOIN pg_publication p ON p.pubname = ?1 AND (p.puballtables
                OR c.oid IN (SELECT prrelid FROM pg_publication_rel WHERE prpubid = p.oid)
                OR c.relnamespace IN (SELECT pnnspid FROM pg_publication_namespace WHERE pnpubid = p.oid))
            UNION SELECT inhrelid FROM pg_inherits JOIN published ON id = inhparent
                JOIN pg_class c ON c.oid = inhrelid AND c.relispartition),
        filtered (id) AS (
            SELECT prrelid FROM pg_publication_rel JOIN pg_publication p ON p.oid = prpubid
                WHERE p.pubname = ?1 AND (prqual IS NOT NULL OR prattrs IS NOT NULL)
            UNION SELECT inhrelid FROM pg_inherits JOIN filtered ON id = inhparent)
        SELECT c.oid, CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE quote_ident(n.nspname) || '.' END
                || quote_ident(c.relname) AS spelling,
            CASE WHEN n.nspname = COALESCE(current_schema(), 'public') THEN 'main' ELSE n.nspname::text END AS schema,
            c.relname::text AS name, c.relkind::text AS kind, c.relpersistence::text AS persistence,
            c.relispartition::int AS partition, c.relreplident::text AS identity,
            (c.relkind = 'r' AND c.relam <> (SELECT oid FROM pg_am WHERE amname = 'heap'))::int AS other,
            (c.oid IN (SELECT id FROM published))::int AS published,
            (c.oid IN (SELECT id FROM filtered))::int AS filtered
        FROM (SELECT * FROM pg_class WHERE relkind IN ('r', 'p', 'f') AND relpersistence <> 't') c
        JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        """

    private func kind(_ row: Row) -> PublicationTable.Kind {
        let (kind, persistence): (String, String) = (row["kind"], row["persistence"])
        let hasOtherMethod: Bool = row["other"]
        if hasOtherMethod { return .otherAccessMethod }
        return kind == "f"
            ? .foreign : persistence == "u" ? .unlogged : kind == "p" ? .partitioned : .ordinary
    }

    private func table(_ row: Row) throws -> PublicationTable {
        // Columns with INCLUDE do not belong to a key.
        let indexes = try Row.fetchAll(
            db,
            sql: """
                SELECT quote_ident(c.relname) AS name, i.indisprimary::int AS key, i.indisreplident::int AS identity,
                    k.columns::text AS columns
                FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid CROSS JOIN LATERAL (
                    SELECT json_agg(attname ORDER BY position) AS columns, bool_and(attnotnull) AS is_known
                    FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS key (number, position)
                        JOIN pg_attribute ON attrelid = i.indrelid AND attnum = number
                    WHERE position <= i.indnkeyatts) k
                WHERE i.indrelid = ?::oid AND i.indisunique AND i.indimmediate AND i.indisvalid AND i.indpred IS NULL
                    AND i.indexprs IS NULL AND k.is_known
                ORDER BY c.relname
                """, arguments: [row["oid"] as Int64])
        func columns(_ row: Row) -> [String] {
            let text: String = row["columns"] ?? "[]"
            return (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
        }
        let key = indexes.first { $0["key"] }
        let identityKind: String = row["identity"]
        let identity: PublicationTable.Identity =
            switch identityKind {
            case "f": .full
            case "d": key.map { .columns(columns($0), isPrimaryKey: true) } ?? .none
            case "i":
                indexes.first { $0["identity"] }.map { .columns(columns($0), isPrimaryKey: false) } ?? .none
            default: .none
            }
        return PublicationTable(
            spelling: row["spelling"],
            kind: self.kind(row),
            isPartition: row["partition"], isPublished: row["published"],
            isReported: reported.contains(TableName(schema: row["schema"], name: row["name"])),
            isFiltered: row["filtered"], identity: identity, hasPrimaryKey: key != nil,
            candidates: indexes.filter { !$0["key"] && !$0["identity"] }
                .map { .init(name: $0["name"], columns: columns($0)) })
    }
}
