import VigilStorage

extension PostgresConnection {
    /// Returns a text that changes with each change of the catalog that can change the reads of a query or
    /// their meaning: definitions of tables, views, policies, functions, operators, types, domains,
    /// collations and text search configurations, inheritance, schemas, publications, roles and privileges on
    /// the database.
    ///
    /// The roles are that of the session, those that own tables or functions, and all that these are members
    /// of. Others, such as temporary ones of the same server, have no effect on what they read.
    ///
    /// It has the versions of rows of the catalog, and not their values: an observation may have fetched
    /// between a change and its reversal, and a stream omits changes of a table while it is unlogged. Of
    /// roles, and of materialized views because of REFRESH, it has the values.
    ///
    /// ANALYZE, VACUUM, REFRESH and temporary objects do not change it. TRUNCATE and VACUUM FULL do, because
    /// they write the row of the table. It reads the rows of all objects that users have created, so it takes
    /// 0.5 ms in a small database, and 14 ms with 300 tables of 10 columns, 300 views and 300 functions.
    ///
    /// - Parameter includesAllRoles: whether readers use other roles than that of the session.
    func catalogVersion(includesAllRoles: Bool) throws(StorageError) -> String {
        let parameters = [includesAllRoles ? "t" : "f"]
        guard let version = try query(Self.catalogVersionSQL, parameters).first?[0] else {
            throw StorageError(.error, "the server has not returned the version of its catalog")
        }
        return version
    }

    /// A sum of hashes. Of materialized views, it has the columns that matter, because their rows also change
    /// with each new file. Privileges are not read as a text: the server writes the current names of roles
    /// into it, and not the names at the time of the snapshot.
    private static let catalogVersionSQL = """
        WITH RECURSIVE n AS MATERIALIZED (SELECT oid, xmin FROM pg_catalog.pg_namespace
            WHERE nspname !~ '^pg_(temp|toast)'),
        c AS MATERIALIZED (SELECT *, xmin FROM pg_catalog.pg_class WHERE oid >= 16384
            AND relkind IN ('r', 'p', 'v', 'm', 'f', 'c') AND relpersistence <> 't'),
        role (oid) AS (SELECT oid FROM pg_catalog.pg_roles WHERE $1 OR rolname = session_user
                OR oid IN (SELECT relowner FROM c UNION SELECT proowner FROM pg_catalog.pg_proc WHERE oid >= 16384)
            UNION SELECT m.roleid FROM pg_catalog.pg_auth_members m JOIN role ON role.oid = m.member)
        SELECT sum(pg_catalog.hash_record_extended(r, 0)) FROM (
            SELECT ROW(1, oid, xmin) FROM n
            UNION ALL SELECT ROW(2, oid, relname, relnamespace, relkind, relpersistence, relrowsecurity,
                relforcerowsecurity, relowner, relnatts, reloptions, relispartition, relreplident,
                CASE WHEN relkind <> 'm' THEN xmin END) FROM c
            UNION ALL SELECT ROW(26, c.oid, grantee, privilege_type) FROM c, pg_catalog.aclexplode(
                coalesce(relacl, pg_catalog.acldefault('r', relowner))) WHERE relkind = 'm'
            UNION ALL SELECT ROW(3, attrelid, attnum, a.xmin) FROM pg_catalog.pg_attribute a
                JOIN c ON c.oid = attrelid WHERE attnum > 0
            UNION ALL SELECT ROW(4, w.oid, w.xmin) FROM pg_catalog.pg_rewrite w JOIN c ON c.oid = ev_class
            UNION ALL SELECT ROW(5, oid, xmin) FROM pg_catalog.pg_policy
            UNION ALL SELECT ROW(6, inhrelid, inhparent, xmin) FROM pg_catalog.pg_inherits
            UNION ALL SELECT ROW(7, p.oid, p.xmin) FROM pg_catalog.pg_proc p JOIN n ON n.oid = pronamespace
                WHERE p.oid >= 16384
            UNION ALL SELECT ROW(8, oid, xmin) FROM pg_catalog.pg_operator WHERE oid >= 16384
            UNION ALL SELECT ROW(9, oid, xmin) FROM pg_catalog.pg_cast WHERE oid >= 16384
            UNION ALL SELECT ROW(10, oid, xmin) FROM pg_catalog.pg_amop WHERE oid >= 16384
            UNION ALL SELECT ROW(11, oid, xmin) FROM pg_catalog.pg_amproc WHERE oid >= 16384
            UNION ALL SELECT ROW(12, t.oid, t.xmin) FROM pg_catalog.pg_type t JOIN n ON n.oid = typnamespace
                WHERE t.oid >= 16384 AND typtype <> 'c' AND typcategory <> 'A'
            UNION ALL SELECT ROW(13, oid, xmin) FROM pg_catalog.pg_enum
            UNION ALL SELECT ROW(14, k.oid, k.xmin) FROM pg_catalog.pg_constraint k
                LEFT JOIN c ON c.oid = conrelid WHERE k.oid >= 16384 AND (conrelid = 0 OR c.oid IS NOT NULL)
            UNION ALL SELECT ROW(15, mapcfg, maptokentype, mapseqno, mapdict, xmin) FROM pg_catalog.pg_ts_config_map
            UNION ALL SELECT ROW(16, oid, xmin) FROM pg_catalog.pg_ts_config
            UNION ALL SELECT ROW(17, oid, xmin) FROM pg_catalog.pg_ts_dict
            UNION ALL SELECT ROW(18, oid, rolname, rolsuper, rolinherit, rolbypassrls) FROM pg_catalog.pg_roles JOIN role USING (oid)
            UNION ALL SELECT ROW(19, roleid, member, m.xmin) FROM pg_catalog.pg_auth_members m
                JOIN role ON role.oid = member
            UNION ALL SELECT ROW(20, oid, xmin) FROM pg_catalog.pg_publication
            UNION ALL SELECT ROW(21, oid, xmin) FROM pg_catalog.pg_publication_rel
            UNION ALL SELECT ROW(22, oid, xmin) FROM pg_catalog.pg_publication_namespace
            UNION ALL SELECT ROW(23, indexrelid, i.xmin) FROM pg_catalog.pg_index i JOIN c ON c.oid = indrelid
            UNION ALL SELECT ROW(24, oid, xmin) FROM pg_catalog.pg_database
                WHERE datname = pg_catalog.current_database()
            UNION ALL SELECT ROW(25, o.oid, o.xmin) FROM pg_catalog.pg_collation o JOIN n ON n.oid = collnamespace
                WHERE o.oid >= 16384
        ) AS v (r)
        """
}
