package import VigilStorage

extension PostgresConnection {
    package func schemaNames() throws(StorageError) -> [String] {
        let rows = try query(
            """
            SELECT \(schemaNameSQL) FROM unnest(current_schemas(true)) WITH ORDINALITY AS s (name, position)
            JOIN pg_namespace n ON n.nspname = s.name WHERE n.nspname <> 'pg_catalog' ORDER BY s.position
            """)
        let names = rows.compactMap { $0[0] }
        return names.contains("main") ? names : names + ["main"]
    }

    package func schema(named name: String) throws(StorageError) -> String? {
        let rows = try query(
            """
            SELECT nspname FROM pg_namespace WHERE nspname = $1 OR lower(nspname) = lower($1)
            ORDER BY nspname <> $1, nspname LIMIT 1
            """, [name])
        guard let found = rows.first?.first else { return nil }
        return found == session.mainSchema ? SchemaNaming.main : found
    }

    /// A hash of the versions of the schema's rows in the catalog. ANALYZE and VACUUM do not change them.
    ///
    /// It takes as long as the schema is large. What is cached of tables is checked with ``version(of:)``.
    package func schemaVersion(of schema: String) throws(StorageError) -> Int64 {
        let rows = try query(
            """
            WITH r AS (SELECT c.oid, c.xmin FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = $1)
            SELECT COALESCE(hashtextextended(string_agg(v, ',' ORDER BY v), 0), 0) FROM (
                SELECT 'c' || oid || ':' || xmin FROM r
                UNION ALL SELECT 'a' || attrelid || ':' || attnum || ':' || a.xmin FROM pg_attribute a
                    JOIN r ON r.oid = attrelid WHERE attnum > 0
                UNION ALL SELECT 'd' || d.oid || ':' || d.xmin FROM pg_attrdef d JOIN r ON r.oid = adrelid
                UNION ALL SELECT 'k' || k.oid || ':' || k.xmin FROM pg_constraint k JOIN r ON r.oid = conrelid
                UNION ALL SELECT 't' || t.oid || ':' || t.xmin FROM pg_trigger t JOIN r ON r.oid = tgrelid
                UNION ALL SELECT 'w' || w.oid || ':' || w.xmin FROM pg_rewrite w JOIN r ON r.oid = ev_class
            ) AS versions (v)
            """, [serverSchema(schema)])
        return rows.first?[0].flatMap { Int64($0) } ?? 0
    }

    package func schemaObjects(in schema: String) throws(StorageError) -> [StorageSchemaObject] {
        let rows = try query(
            """
            WITH r AS (SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1)
            SELECT 'table', relname, relname, NULL::text FROM r WHERE relkind IN ('r', 'p', 'f')
            UNION ALL SELECT 'view', relname, relname, concat('CREATE ', CASE relkind WHEN 'm' THEN 'MATERIALIZED ' END,
                'VIEW ', quote_ident(relname), ' AS', rtrim(pg_get_viewdef(oid), ';')) FROM r WHERE relkind IN ('v', 'm')
            UNION ALL SELECT 'index', r.relname, t.relname, CASE WHEN k.oid IS NULL THEN pg_get_indexdef(r.oid) END FROM r
                JOIN pg_index i ON i.indexrelid = r.oid JOIN pg_class t ON t.oid = i.indrelid
                LEFT JOIN pg_constraint k ON k.conindid = r.oid AND k.conrelid = t.oid AND k.contype IN ('p', 'u', 'x')
            UNION ALL SELECT 'trigger', g.tgname, r.relname, pg_get_triggerdef(g.oid) FROM r
                JOIN pg_trigger g ON g.tgrelid = r.oid WHERE NOT g.tgisinternal
            ORDER BY 1, 2
            """, [serverSchema(schema)])
        let kinds: [String: StorageSchemaObject.Kind] = [
            "table": .table, "view": .view, "index": .index, "trigger": .trigger,
        ]
        return rows.compactMap { row in
            guard let kind = row[0].flatMap({ kinds[$0] }), let name = row[1], let table = row[2] else {
                return nil
            }
            return StorageSchemaObject(kind: kind, name: name, tableName: table, sql: row[3])
        }
    }

    package func columns(of table: TableName) throws(StorageError) -> [StorageColumn] {
        guard let relation = try relation(table.name, in: table.schema) else { return [] }
        return try columns(of: relation)
    }

    package func indexes(on table: TableName) throws(StorageError) -> [StorageIndex] {
        guard let relation = try relation(table.name, in: table.schema) else { return [] }
        let rows = try query(
            """
            SELECT c.relname, i.indisunique, i.indpred IS NOT NULL, COALESCE(k.contype::text, ''), a.attname
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
            CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS key (number, position)
            LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = key.number AND key.number > 0
            LEFT JOIN pg_constraint k ON k.conindid = c.oid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u')
            WHERE i.indrelid = $1::oid AND key.position <= i.indnkeyatts ORDER BY c.relname, key.position
            """, [relation.id])
        var indexes: [StorageIndex] = []
        for row in rows {
            let name = row[0] ?? ""
            if indexes.last?.name != name {
                let origin: StorageIndex.Origin =
                    row[3] == "p" ? .primaryKey : row[3] == "u" ? .uniqueConstraint : .createIndex
                indexes.append(
                    StorageIndex(
                        name: name, columns: [], isUnique: row[1] == "t", isPartial: row[2] == "t",
                        origin: origin))
            }
            indexes[indexes.count - 1].columns.append(row[4])
        }
        return indexes
    }

    package func foreignKeys(of table: TableName) throws(StorageError) -> [StorageForeignKey] {
        guard let relation = try relation(table.name, in: table.schema) else { return [] }
        let rows = try query(
            """
            SELECT k.oid, r.relname, a.attname, b.attname FROM pg_constraint k
            JOIN pg_class r ON r.oid = k.confrelid
            CROSS JOIN unnest(k.conkey, k.confkey) WITH ORDINALITY AS key (own, other, position)
            JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = key.own
            JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = key.other
            \(Self.declaredConstraintJoin("k"))
            WHERE k.conrelid = $1::oid AND k.contype = 'f' AND \(Self.isDeclaredConstraint("k"))
            ORDER BY k.oid, key.position
            """, [relation.id])
        var keys: [StorageForeignKey] = []
        for row in rows {
            let id = row[0].flatMap { Int($0) } ?? 0
            if keys.last?.id != id {
                keys.append(
                    StorageForeignKey(
                        id: id, referencedTable: row[1] ?? "", columns: [], referencedColumns: []))
            }
            keys[keys.count - 1].columns.append(row[2] ?? "")
            keys[keys.count - 1].referencedColumns?.append(row[3] ?? "")
        }
        return keys
    }

    /// The server enforces foreign keys, so no row violates one. Keys declared NOT VALID, and not validated
    /// since, are not checked.
    package func foreignKeyCheck(of table: TableName?) throws(StorageError) -> any StorageStatement {
        let sql = "SELECT NULL::text, NULL::int8, NULL::text, NULL::int8 WHERE false"
        guard let statement = try prepare(sql, fromUTF8Offset: 0, isCached: false).statement else {
            throw Self.closedError
        }
        return statement
    }
}

extension PostgresConnection {
    package var maximumParameterCount: Int { PostgresSQL.maximumParameterCount }
}
