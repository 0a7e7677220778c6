package import VigilStorage

/// The reads of a feed on its control connection.
extension PostgresConnection {
    /// Looks which commits are visible to new snapshots.
    func look() throws(StorageError) -> ServerLook {
        guard let row = try query(ServerLook.sql).first, let text = row[1] else {
            throw StorageError(.ioError, "the server has not answered with its snapshot")
        }
        let state = ServerLook.State(
            session: sessionNumber, isStandby: row[0] == "t", text: text, server: row[3] ?? "")
        return ServerLook(state: state, position: row[2].flatMap { UInt64($0) })
    }

    /// Returns the number of a transaction that begins and ends now.
    func passTransaction() throws(StorageError) -> UInt64 {
        guard let number = try query("SELECT pg_current_xact_id()::text").first?[0].flatMap({ UInt64($0) })
        else { throw StorageError(.ioError, "the server has not answered with the number of a transaction") }
        return number
    }

    /// Returns the tables of a publication, after the version of the catalog.
    func publicationState(
        _ name: String, includesAllRoles: Bool
    ) throws(StorageError) -> PublicationState {
        let catalog = try catalogVersion(includesAllRoles: includesAllRoles)
        let publication = try publication(name)
        guard case .tables = publication else {
            return PublicationState(publication: publication, catalog: catalog, server: "")
        }
        let server = try query(Self.serverIdentitySQL).first?[0] ?? ""
        return PublicationState(publication: publication, catalog: catalog, server: server)
    }

    /// Reads the run of the server, see ``SessionIdentity/server``.
    static let serverIdentitySQL = "SELECT \(SessionIdentity.serverColumn)"

    /// Returns the tables of a publication, or why it cannot be streamed.
    ///
    /// Amazon RDS and Yandex Cloud grant a role in place of the attribute REPLICATION.
    func publication(_ name: String) throws(StorageError) -> Publication {
        let rows = try query(
            """
            SELECT pg_is_in_recovery(), current_setting('wal_level'), EXISTS (SELECT FROM pg_roles
                    WHERE rolname = session_user AND (rolreplication OR rolsuper)
                    OR rolname IN ('rds_replication', 'mdb_replication') AND pg_has_role(session_user, oid, 'MEMBER')),
                p.oid, p.pubinsert AND p.pubupdate AND p.pubdelete AND p.pubtruncate, p.pubviaroot
            FROM (SELECT) one LEFT JOIN pg_publication p ON p.pubname = $1
            """, [name])
        guard let row = rows.first else {
            throw StorageError(.ioError, "the server has not answered with its publication")
        }
        let reason: String? =
            if row[0] == "t" {
                "the server is a standby"
            } else if row[1] != "logical" {
                "the server has the setting wal_level = \(row[1] ?? "")"
            } else if row[3] == nil {
                "the database has no publication named \(name)"
            } else if row[2] != "t" {
                "the role does not have the attribute REPLICATION"
            } else if row[4] != "t" {
                "the publication \(name) does not publish all of insert, update, delete and truncate"
            } else {
                nil
            }
        if let reason { return .unavailable(reason: reason) }
        return .tables(try publishedTables(name, reportsRoots: row[5] == "t"))
    }

    package func reportedTables(ofPublication name: String) throws(StorageError) -> Set<TableName> {
        let rows = try query("SELECT pubviaroot FROM pg_publication WHERE pubname = $1", [name])
        guard let row = rows.first else { return [] }
        return try publishedTables(name, reportsRoots: row[0] == "t").reported
    }

    private func publishedTables(_ name: String, reportsRoots: Bool) throws(StorageError) -> PublishedTables {
        var relations: [PublishedTables.Relation] = []
        var inheritance: [PublishedTables.Inheritance] = []
        var keys: [UInt32: PublishedTables.Key] = [:]
        for row in try query(Self.primaryKeysSQL) {
            guard let id = row[0].flatMap({ UInt32($0) }), let column = row[1] else { continue }
            keys[id, default: .init(isRowID: row[2] == "t")].columns.append(column)
        }
        var generated: [UInt32: [String]] = [:]
        for row in try query(Self.generatedColumnsSQL) {
            guard let id = row[0].flatMap({ UInt32($0) }), let column = row[1] else { continue }
            generated[id, default: []].append(column)
        }
        for row in try query(Self.publishedTablesSQL, [name, reportsRoots ? "t" : "f", session.mainSchema]) {
            guard let id = row[0].flatMap({ UInt32($0) }), let schema = row[1], let table = row[2] else {
                continue
            }
            relations.append(
                .init(
                    id: id, name: TableName(schema: schema, name: table),
                    kind: row[3] == "p" ? .partitioned : .published, key: keys[id] ?? .init(),
                    generatedColumns: generated[id] ?? []))
        }
        for row in try query("SELECT inhrelid, inhparent FROM pg_inherits") {
            guard let child = row[0].flatMap({ UInt32($0) }), let parent = row[1].flatMap({ UInt32($0) })
            else {
                continue
            }
            inheritance.append(.init(child: child, parent: parent))
        }
        let version = try query(Self.publicationVersionSQL).first?[0] ?? ""
        return PublishedTables(
            relations, inheritance: inheritance, mainSchema: session.mainSchema, version: version)
    }

    /// The published tables without row filters and lists of columns, and the partitioned tables. A
    /// publication that names the root of a partition instead of the partition counts for tables without
    /// partitions only. The server decodes the rows of heaps only, but publishes other tables too.
    ///
    /// Names that other relations also have, without the case of letters, are left out.
    private static let publishedTablesSQL = """
        WITH RECURSIVE n AS (SELECT oid, CASE WHEN nspname = $3 THEN 'main' ELSE nspname::text END AS name,
                nspname <> $3 AND lower(nspname COLLATE "C") IN ('main', 'temp') OR nspname ~ '^pg_' AS is_reserved
            FROM pg_namespace),
        c AS (SELECT c.oid, c.relname, n.name, c.relkind, c.relpersistence, c.relispartition, c.relam,
                n.is_reserved OR count(*) OVER (PARTITION BY lower(n.name COLLATE "C"), lower(c.relname COLLATE "C")) > 1 AS is_ambiguous
            FROM pg_class c JOIN n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm')),
        filtered (id) AS (SELECT r.prrelid FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid
                WHERE p.pubname = $1 AND (r.prqual IS NOT NULL OR r.prattrs IS NOT NULL)
            UNION SELECT i.inhrelid FROM pg_inherits i JOIN filtered f ON f.id = i.inhparent)
        SELECT c.oid, c.name, c.relname, c.relkind FROM c WHERE NOT c.is_ambiguous
            AND CASE c.relkind WHEN 'p' THEN $2 = 'f'
                WHEN 'r' THEN c.relpersistence = 'p' AND NOT (c.relispartition AND $2 = 't')
                    AND c.relam = (SELECT oid FROM pg_am WHERE amname = 'heap')
                    AND c.oid IN (SELECT relid FROM pg_get_publication_tables($1))
                    AND c.oid NOT IN (SELECT id FROM filtered) END
        """

    /// The columns of primary keys, in order, and whether a key is a single integer.
    private static let primaryKeysSQL = """
        SELECT indrelid, attname, indnkeyatts = 1 AND atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)
        FROM pg_index CROSS JOIN unnest(indkey::int2[]) WITH ORDINALITY AS k (number, position)
            JOIN pg_attribute a ON attrelid = indrelid AND attnum = number
        WHERE indisprimary AND position <= indnkeyatts AND indrelid >= 16384 ORDER BY indrelid, position
        """

    private static let generatedColumnsSQL = """
        SELECT attrelid, attname FROM pg_attribute WHERE attgenerated <> '' AND attrelid >= 16384
            AND NOT attisdropped ORDER BY attrelid, attnum
        """

    private static let publicationVersionSQL = """
        SELECT sum(hash_record_extended(r, 0)) FROM (SELECT ROW(1, oid, xmin) FROM pg_publication
            UNION ALL SELECT ROW(2, oid, xmin) FROM pg_publication_rel
            UNION ALL SELECT ROW(3, oid, xmin) FROM pg_publication_namespace
            UNION ALL SELECT ROW(4, inhrelid, inhparent, xmin) FROM pg_inherits) AS v (r)
        """
}
