import Foundation
import Vigil

/// A table on a server, with what the stream of changes contains of its rows.
struct PublicationTable: Equatable {
    enum Kind: Equatable {
        case ordinary, partitioned, unlogged, foreign
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
        var name: String
        var columns: [String]
    }

    var schema: String
    var name: String
    var kind: Kind
    var isPartition: Bool
    var isPublished: Bool
    /// Whether the publication has a row filter or a list of columns for the table.
    var isFiltered: Bool
    var identity: Identity
    var hasPrimaryKey: Bool
    var candidates: [Candidate]

    /// The name, with its schema unless it is in the search path.
    var spelling: String { (schema.isEmpty ? "" : SQLName.quoted(schema) + ".") + SQLName.quoted(name) }

    /// The statement that makes more conditions exact, and its price; `nil` if all are.
    var improvement: (sql: String, price: String)? {
        guard kind == .ordinary else { return nil }
        let known = if case .columns(let columns, _) = identity { Set(columns) } else { Set<String>() }
        if identity == .full { return nil }
        if let better = candidates.max(by: { $0.columns.count < $1.columns.count }),
            Set(better.columns).isStrictSuperset(of: known)
        {
            return (
                "ALTER TABLE \(spelling) REPLICA IDENTITY USING INDEX \(SQLName.quoted(better.name))",
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
        var tables: [PublicationTable] = []
        if names.isEmpty {
            let sql =
                tableSQL
                + " WHERE n.nspname = ANY (current_schemas(false)) AND pg_table_is_visible(c.oid) ORDER BY c.relname"
            let rows = try Row.fetchAll(db, sql: sql, arguments: [publication])
            tables = try rows.map { try PublicationTable($0, db) }
        }
        for name in names {
            let sql = tableSQL + " WHERE c.oid = to_regclass(?2)"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [publication, name]) else {
                throw Failure("no such table: \(name)")
            }
            tables.append(try PublicationTable(row, db))
        }
        return tables
    }

    private static let tableSQL = """
        SELECT c.oid, CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE n.nspname::text END AS schema, c.relname::text AS name,
            c.relkind::text AS kind, c.relpersistence::text AS persistence, c.relispartition::int AS partition,
            c.relreplident::text AS identity,
            EXISTS (SELECT FROM pg_publication_tables p WHERE p.pubname = ?1 AND p.schemaname = n.nspname
                AND (p.tablename = c.relname OR c.oid IN (SELECT inhparent FROM pg_inherits i JOIN pg_class l ON l.oid = inhrelid
                    JOIN pg_namespace m ON m.oid = l.relnamespace
                    WHERE l.relname = p.tablename AND m.nspname = p.schemaname)))::int AS published,
            EXISTS (SELECT FROM pg_publication_rel r JOIN pg_publication p ON p.oid = prpubid
                WHERE p.pubname = ?1 AND prrelid = c.oid AND (prqual IS NOT NULL OR prattrs IS NOT NULL))::int AS filtered
        FROM (SELECT * FROM pg_class WHERE relkind IN ('r', 'p', 'f') AND relpersistence <> 't') c
        JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        """

    private init(_ row: Row, _ db: Database) throws {
        schema = row["schema"]
        name = row["name"]
        let (kind, persistence): (String, String) = (row["kind"], row["persistence"])
        self.kind =
            kind == "f" ? .foreign : persistence == "u" ? .unlogged : kind == "p" ? .partitioned : .ordinary
        isPartition = row["partition"]
        isPublished = row["published"]
        isFiltered = row["filtered"]
        let indexes = try Row.fetchAll(
            db,
            sql: """
                SELECT c.relname::text AS name, i.indisprimary::int AS key, i.indisreplident::int AS identity,
                    (SELECT json_agg(attname ORDER BY position) FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, position)
                        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number)::text AS columns
                FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                WHERE i.indrelid = ?::oid AND i.indisunique AND i.indimmediate AND i.indisvalid AND i.indpred IS NULL
                    AND i.indexprs IS NULL AND i.indnkeyatts = i.indnatts AND NOT EXISTS (SELECT FROM pg_attribute a
                        WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::int2[]) AND NOT a.attnotnull)
                ORDER BY c.relname
                """, arguments: [row["oid"] as Int64])
        func columns(_ row: Row) -> [String] {
            let text: String = row["columns"] ?? "[]"
            return (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
        }
        let key = indexes.first { $0["key"] }
        hasPrimaryKey = key != nil
        let identityKind: String = row["identity"]
        switch identityKind {
        case "f": identity = .full
        case "d": identity = key.map { .columns(columns($0), isPrimaryKey: true) } ?? .none
        case "i":
            identity =
                indexes.first { $0["identity"] }.map { .columns(columns($0), isPrimaryKey: false) } ?? .none
        default: identity = .none
        }
        candidates = indexes.filter { !$0["key"] && !$0["identity"] }
            .map { Candidate(name: $0["name"], columns: columns($0)) }
    }
}
