#if PostgreSQL
    import VigilStorage
    import XCTest

    @testable import VigilPostgres

    final class PostgresSchemaTests: PostgresTestCase {
        private func schema() throws -> PostgresConnection {
            let connection = try open()
            try connection.execute(
                """
                CREATE TABLE team (id int PRIMARY KEY, "Name" text UNIQUE);
                CREATE TABLE player (
                    team int REFERENCES team, number smallint, name varchar(20) NOT NULL DEFAULT 'x',
                    upper text GENERATED ALWAYS AS (upper(name)) STORED, PRIMARY KEY (number, team));
                CREATE TABLE score (id int, team int, number smallint,
                    FOREIGN KEY (number, team) REFERENCES player (number, team));
                CREATE INDEX score_id ON score (id, (id + 1)) WHERE id > 0;
                CREATE VIEW v AS SELECT id FROM team;
                CREATE TEMP TABLE draft (a int)
                """)
            return connection
        }

        func testTablesAreDescribed() throws {
            let connection = try schema()
            let player = try XCTUnwrap(try connection.table("player", in: nil))
            XCTAssertEqual(player.name, TableName(name: "player"))
            XCTAssertEqual(player.kind, .table)
            XCTAssertFalse(player.hasRowID)
            XCTAssertNil(player.rowIDColumn)
            XCTAssertEqual(
                player.columns,
                [
                    .init(name: "team", type: "integer", isNotNull: true, primaryKeyIndex: 2),
                    .init(name: "number", type: "smallint", isNotNull: true, primaryKeyIndex: 1),
                    .init(
                        name: "name", type: "character varying(20)", isNotNull: true,
                        defaultSQL: "'x'::character varying"),
                    .init(name: "upper", type: "text"),
                ])
            XCTAssertEqual(
                try connection.columns(of: player.name).map(\.isGenerated), [false, false, false, true])
            XCTAssertEqual(try connection.table("V", in: "main")?.kind, .view)
            XCTAssertEqual(
                try connection.table("draft", in: nil)?.name, TableName(schema: "temp", name: "draft"))
            XCTAssertEqual(try connection.table("draft", in: "temp")?.columns.map(\.name), ["a"])
            XCTAssertNil(try connection.table("draft", in: "main"))
            XCTAssertNil(try connection.table("missing", in: nil))
            XCTAssertNil(try open().table("draft", in: "temp"))
        }

        func testExactNamesPrecedeOthers() throws {
            let connection = try schema()
            try connection.execute(#"CREATE TABLE "Team" (other int)"#)
            XCTAssertEqual(try connection.table("Team", in: nil)?.columns.map(\.name), ["other"])
            XCTAssertEqual(try connection.table("team", in: nil)?.columns.map(\.name), ["id", "Name"])
            XCTAssertNotNil(try connection.table("TEAM", in: nil))
        }

        func testTablesAreListed() throws {
            let tables = try schema().tables().filter { $0.schema == "main" || $0.schema == "temp" }
            XCTAssertEqual(
                tables,
                [
                    TableName(name: "player"), TableName(name: "score"), TableName(name: "team"),
                    TableName(schema: "temp", name: "draft"),
                ])
        }

        func testIndexesAndForeignKeysAreDescribed() throws {
            let connection = try schema()
            XCTAssertEqual(
                try connection.indexes(on: TableName(name: "score")),
                [
                    StorageIndex(
                        name: "score_id", columns: ["id", nil], isUnique: false, isPartial: true,
                        origin: .createIndex)
                ])
            XCTAssertEqual(
                try connection.indexes(on: TableName(name: "team")).map(\.origin),
                [.uniqueConstraint, .primaryKey])
            let keys = try connection.foreignKeys(of: TableName(name: "score"))
            XCTAssertEqual(keys.map(\.referencedTable), ["player"])
            XCTAssertEqual(keys.first?.columns, ["number", "team"])
            XCTAssertEqual(keys.first?.referencedColumns, ["number", "team"])
            let check = try connection.foreignKeyCheck(of: nil)
            XCTAssertEqual(check.columnNames.count, 4)
            XCTAssertEqual(try check.allRows(), [])
            check.finalize()
        }

        func testSchemaObjectsAreListed() throws {
            let connection = try schema()
            let objects = try connection.schemaObjects(in: "main")
            XCTAssertEqual(objects.filter { $0.kind == .table }.map(\.name), ["player", "score", "team"])
            XCTAssertEqual(objects.filter { $0.kind == .view }.map(\.name), ["v"])
            XCTAssertTrue(
                objects.contains { $0.kind == .index && $0.name == "score_id" && $0.tableName == "score" })
            XCTAssertEqual(Array(try connection.schemaNames().suffix(2)), ["temp", "main"])
        }

        func testTheSchemaVersionChangesWithTheSchema() throws {
            let (connection, other) = (try schema(), try open())
            var version = try connection.schemaVersion(of: "main")
            for (sql, changes) in [
                ("INSERT INTO team VALUES (1, 'a')", false), ("ANALYZE team", false), ("VACUUM team", false),
                ("ALTER TABLE team ADD x int", true), ("ALTER TABLE team RENAME x TO y", true),
                ("ALTER TABLE team ALTER y SET DEFAULT 5", true),
                ("ALTER TABLE team ADD CHECK (y > 0)", true),
                ("CREATE OR REPLACE VIEW v AS SELECT 7 AS id", true), ("DROP VIEW v", true),
            ] {
                try other.execute(sql)
                let new = try connection.schemaVersion(of: "main")
                XCTAssertEqual(new != version, changes, sql)
                version = new
            }
            try connection.perform(.beginImmediate)
            try connection.execute("ALTER TABLE team ADD z int")
            XCTAssertNotEqual(try connection.schemaVersion(of: "main"), version)
            try connection.perform(.rollback)
            XCTAssertEqual(try connection.schemaVersion(of: "main"), version)
        }
    }
#endif
