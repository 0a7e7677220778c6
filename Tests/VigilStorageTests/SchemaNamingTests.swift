import VigilStorage
import XCTest

final class SchemaNamingTests: XCTestCase {
    /// The names of a backend that is not SQLite.
    private let catalog = SchemaNaming(
        schemaTable: ("Catalog", []), temporarySchemaTable: ("temp_catalog", ["session_catalog"]),
        internalPrefixes: ["PG_"])

    func testEachSchemaHasASchemaTable() {
        XCTAssertEqual(
            SchemaNaming.sqlite.schemaTable(of: "main"), TableName(schema: "main", name: "sqlite_master"))
        XCTAssertEqual(
            SchemaNaming.sqlite.schemaTable(of: "TEMP"), TableName(schema: "temp", name: "sqlite_temp_master")
        )
        XCTAssertEqual(catalog.schemaTable(of: "other"), TableName(schema: "other", name: "Catalog"))
        XCTAssertEqual(catalog.schemaTable(of: "temp"), TableName(schema: "temp", name: "temp_catalog"))
    }

    func testAliasesDenoteTheSchemaTable() {
        for (naming, name, expected) in [
            (SchemaNaming.sqlite, "SQLite_Schema", TableName(schema: "a", name: "sqlite_master")),
            (.sqlite, "sqlite_master", TableName(schema: "a", name: "sqlite_master")),
            (.sqlite, "sqlite_temp_schema", TableName(schema: "temp", name: "sqlite_temp_master")),
            (.sqlite, "sqlite_sequence", nil), (.sqlite, "catalog", nil),
            (catalog, "catalog", TableName(schema: "a", name: "catalog")),
            (catalog, "session_catalog", TableName(schema: "temp", name: "temp_catalog")),
            (catalog, "sqlite_master", nil),
        ] {
            XCTAssertEqual(naming.schemaTable(denotedBy: TableName(schema: "a", name: name)), expected, name)
        }
    }

    func testSchemaTablesHaveTheirCanonicalSpelling() {
        let name = TableName(schema: "temp", name: "SQLITE_SCHEMA")
        XCTAssertEqual(SchemaNaming.sqlite.schemaTable(denotedBy: name)?.name, "sqlite_temp_master")
    }

    func testInternalTablesHaveAReservedPrefix() {
        for name in ["sqlite_sequence", "SQLITE_stat1", "pragma_table_info"] {
            XCTAssertTrue(SchemaNaming.sqlite.isInternal(name), name)
            XCTAssertFalse(catalog.isInternal(name), name)
        }
        XCTAssertTrue(catalog.isInternal("pg_class"))
        for name in ["player", "sqlite", "my_sqlite_table", ""] {
            XCTAssertFalse(SchemaNaming.sqlite.isInternal(name), name)
        }
    }
}
