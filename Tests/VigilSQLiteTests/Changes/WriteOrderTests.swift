import VigilStorage
import XCTest

final class WriteOrderTests: XCTestCase {
    func testWritesAreInAStableOrder() throws {
        for named in NamedBackend.all {
            let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
            let tables = (0..<10).map { "t\($0)" }
            // Tables are ordered by name, whatever their schema.
            let temporary = (0..<10).map { "a\($0)" }
            try connection.run("CREATE TABLE source(a)")
            for table in tables { try connection.run("CREATE TABLE \(table)(a)") }
            for table in temporary { try connection.run("CREATE TEMP TABLE \(table)(a)") }
            // A temporary trigger writes tables of all databases.
            for table in tables.reversed() + temporary {
                try connection.run(
                    """
                    CREATE TEMP TRIGGER "write \(table)" AFTER INSERT ON main.source BEGIN
                        INSERT INTO \(table) VALUES (1);
                        UPDATE \(table) SET a = 1;
                        DELETE FROM \(table);
                    END
                    """)
            }
            let writes = try connection.prepared("INSERT INTO source VALUES (1)").access.writes
            let texts = writes.map { write in
                switch write.kind {
                case .insert: "insert \(write.table)"
                case .delete: "delete \(write.table)"
                case .update: "update \(write.table)"
                }
            }
            let temporaryNames = temporary.map { "temp.\($0)" }
            let rowsAddedAndRemoved = { (names: [String]) in
                names.flatMap { ["delete \($0)", "insert \($0)"] }
            }
            XCTAssertEqual(
                texts,
                rowsAddedAndRemoved(temporaryNames) + ["insert source"] + rowsAddedAndRemoved(tables)
                    + (temporaryNames + tables).map { "update \($0)" }, named.name)
        }
    }
}
