import VigilStorage
import XCTest

final class RowIDAliasTests: XCTestCase {
    func testOnlyAnIntegerPrimaryKeyWithoutIndexIsTheRowID() throws {
        let schema = """
            CREATE TABLE alias(id INTEGER PRIMARY KEY);
            CREATE TABLE descending(id INTEGER PRIMARY KEY DESC);
            CREATE TABLE constrained(id INTEGER, PRIMARY KEY (id DESC));
            CREATE TABLE int(id INT PRIMARY KEY);
            CREATE TABLE without(id INTEGER PRIMARY KEY) WITHOUT ROWID;
            """
        for backend in NamedBackend.all {
            let connection = try backend.open(schema)
            func alias(_ table: String) throws -> String? {
                try connection.table(table, in: nil)?.rowIDColumn
            }
            XCTAssertEqual(try alias("alias"), "id", backend.name)
            XCTAssertNil(try alias("descending"), backend.name)
            // The exception only applies to the column's own clause. This column is the row ID.
            XCTAssertEqual(try alias("constrained"), "id", backend.name)
            XCTAssertNil(try alias("int"), backend.name)
            XCTAssertNil(try alias("without"), backend.name)
        }
    }
}
