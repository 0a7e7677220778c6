#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    private final class Output: TextOutputStream, @unchecked Sendable {
        var text = ""
        func write(_ string: String) { text += string }
    }

    /// Dumps of a database on a server.
    final class DumpTests: ServerTestCase {
        private func createTables(_ db: Database) throws {
            try db.create(table: "team") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull().unique()
            }
            try db.create(table: "player") { t in
                t.primaryKey("id", .integer)
                t.belongsTo("team", onDelete: .cascade)
                t.column("score", .integer).notNull().defaults(to: 0).check { $0 >= 0 }
                t.column("twice", .integer).generatedAs(Column("score") * 2, .stored)
            }
            try db.create(table: "note") { t in t.column("text", .text) }
            try db.create(view: "best", as: Table("player").filter(Column("score") > 5))
            try db.execute(
                sql: """
                    INSERT INTO team (id, name) VALUES (2, 'Blues'), (1, 'Reds');
                    INSERT INTO player (id, "teamId", score) VALUES (7, 2, 10), (3, 1, 0);
                    INSERT INTO note VALUES ('a');
                    """)
        }

        func testContentIsDumped() throws {
            try makePool().write { [self] db in
                try createTables(db)
                var migrator = DatabaseMigrator()
                migrator.registerMigration("none") { _ in }
                let output = Output()
                try db.dumpContent(to: output)
                let parts = output.text.components(separatedBy: "\n\n")
                XCTAssertEqual(
                    parts.dropFirst(), ["note\na", "player\n3|1|0|0\n7|2|10|20", "team\n1|Reds\n2|Blues\n"])
                let tables = Output()
                try db.dumpTables(["player", "best"], to: tables)
                XCTAssertEqual(tables.text, "player\n3|1|0|0\n7|2|10|20\n\nbest\n7|2|10|20\n")
                let request = Output()
                try db.dumpRequest(Table("team").order(Column("name")), format: .json(), to: request)
                XCTAssertEqual(
                    request.text, "[{\"id\":2,\"name\":\"Blues\"},\n{\"id\":1,\"name\":\"Reds\"}]\n")
            }
        }

        /// The dumped statements create the same schema.
        func testSchemaIsDumpedAsStatements() throws {
            try makePool().write { [self] db in
                try createTables(db)
                try db.create(index: "byScore", on: "player", columns: ["score"])
                let first = Output()
                try db.dumpSchema(to: first)
                try db.execute(sql: "DROP VIEW best; DROP TABLE player, team, note")
                let statements = first.text.split(separator: "\n", omittingEmptySubsequences: true)
                    .dropFirst().joined(separator: "\n").components(separatedBy: ";\n")
                XCTAssertEqual(statements.count { $0.contains("CREATE TABLE") }, 3)
                // The table that another one refers to comes last.
                for statement in statements.filter({ $0.hasPrefix("CREATE TABLE team") }) {
                    try db.execute(sql: statement)
                }
                for statement in statements.filter({
                    !$0.hasPrefix("CREATE TABLE team") && !$0.contains("best")
                }) {
                    try db.execute(sql: statement)
                }
                for statement in statements.filter({ $0.contains("best") }) { try db.execute(sql: statement) }
                let second = Output()
                try db.dumpSchema(to: second)
                XCTAssertEqual(second.text, first.text)
            }
        }
    }
#endif
