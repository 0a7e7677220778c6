package import VigilStorage

extension PostgresConnection {
    /// SQL for the name of the schema `n` in the layers above: `main` is the schema of new unqualified names,
    /// and `temp` holds the temporary tables of the session.
    var schemaNameSQL: String {
        "CASE WHEN n.oid = pg_my_temp_schema() THEN 'temp' WHEN n.nspname = \(session.mainSchema.quotedSQLText) "
            + "THEN 'main' ELSE n.nspname::text END"
    }

    /// Returns the server's name of a schema; `nil` for `temp` without temporary tables.
    func serverSchema(_ name: String) throws(StorageError) -> String? {
        if name.isSameName(as: "main") { return session.mainSchema }
        guard name.isSameName(as: "temp") else { return name }
        return try query("SELECT nspname FROM pg_namespace WHERE oid = pg_my_temp_schema()").first?.first
            ?? nil
    }

    package func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
        guard let relation = try relation(name, in: schema) else { return nil }
        let columns = try columns(of: relation)
        let hasKey = columns.contains { $0.column.primaryKeyIndex > 0 }
        return StorageTable(
            name: relation.name, kind: relation.kind, columns: columns.map(\.column), hasRowID: false,
            hasPrimaryKeyIndex: hasKey)
    }

    struct Relation {
        var id: String
        var name: TableName
        var kind: StorageTable.Kind
    }

    /// Returns a table or view: the one with exactly this name, else the first whose name differs only in
    /// case.
    func relation(_ name: String, in schema: String?) throws(StorageError) -> Relation? {
        var searched: String?
        if let schema {
            searched = try serverSchema(schema)
            if searched == nil { return nil }
        }
        let rows = try query(
            """
            (\(relationSQL("c.relname = $1")) LIMIT 1)
            UNION ALL (\(relationSQL("lower(c.relname) = lower($1)")) LIMIT 1) LIMIT 1
            """, [name, searched])
        guard let row = rows.first, let id = row[0], let schema = row[1], let table = row[2] else {
            return nil
        }
        let isView = row[3] == "v" || row[3] == "m"
        recordSpelling(table, of: name)
        return Relation(
            id: id, name: TableName(schema: schema, name: table),
            kind: isView ? .view : row[3] == "f" ? .virtual : .table)
    }

    /// SQL that finds the relations that meet a condition, in the search order of schemas. An exact name is
    /// found by an index, and so are the first rows of a union.
    private func relationSQL(_ condition: String) -> String {
        """
        SELECT c.oid, \(schemaNameSQL), c.relname, c.relkind FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND \(condition)
        AND CASE WHEN $2::text IS NULL THEN n.nspname = ANY (current_schemas(true)) ELSE n.nspname = $2 END
        ORDER BY array_position(current_schemas(true), n.nspname), c.relname
        """
    }

    /// Returns the columns of a table or view, in the order of their declaration.
    func columns(of relation: Relation) throws(StorageError) -> [StorageColumn] {
        let rows = try query(
            """
            SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid),
                CASE WHEN key.position < i.indnkeyatts THEN key.position ELSE -1 END, a.attgenerated
            FROM pg_attribute a
            LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
            CROSS JOIN LATERAL (SELECT array_position(i.indkey::int2[], a.attnum)) AS key (position)
            WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
            """, [relation.id])
        return rows.map { row in
            let isGenerated = row[5] != ""
            let column = StorageTable.Column(
                name: row[0] ?? "", type: row[1] ?? "", isNotNull: row[2] == "t",
                defaultSQL: isGenerated ? nil : row[3],
                // The indexes of `indkey` begin with 0. Included columns follow.
                primaryKeyIndex: row[4].flatMap { Int($0) }.map { $0 + 1 } ?? 0)
            return StorageColumn(column: column, isGenerated: isGenerated, isStored: true)
        }
    }

    package func tables() throws(StorageError) -> [TableName] {
        let rows = try query(
            """
            SELECT \(schemaNameSQL), c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p', 'f') AND (n.oid = pg_my_temp_schema() OR NOT pg_is_other_temp_schema(n.oid))
            AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 1, 2
            """)
        return rows.compactMap { row in
            guard let schema = row[0], let name = row[1] else { return nil }
            return TableName(schema: schema, name: name)
        }
    }
}
