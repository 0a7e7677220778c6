import VigilStorage
import XCTest

@testable import VigilSQLite

final class TableMetadataCacheTests: XCTestCase {
    private let player = TableName(name: "player")

    private func metadata(_ kind: StorageTable.Kind = .table) -> TableMetadata {
        TableMetadata(table: StorageTable(name: player, kind: kind, columns: [], hasRowID: true))
    }

    private func current() -> ChangeReporter.CurrentTable { .init(player, nil, plan: nil) }

    func testMetadataIsKnownUntilTheSchemaMayHaveChanged() {
        var tables = TableMetadataCache()
        let version = tables.version
        XCTAssertNil(tables[player])
        tables.store(metadata(.virtual), of: player)
        XCTAssertEqual(tables[player]?.table.name, player)
        XCTAssertEqual(tables.virtualTables, [player])
        XCTAssertEqual(tables.version, version)
        tables.discard()
        XCTAssertNil(tables[player])
        XCTAssertGreaterThan(tables.version, version)
    }

    func testTheCurrentTableIsMadeAgainAfterEachChangeOfWhatItContains() {
        for change: (inout TableMetadataCache) -> Void in [
            { $0.store(self.metadata(), of: self.player) }, { $0.discard() }, { $0.triggersDidChange() },
        ] {
            var tables = TableMetadataCache()
            tables.setCurrent(current())
            XCTAssertNotNil(tables.current)
            change(&tables)
            XCTAssertNil(tables.current)
        }
    }

    func testOnlyAnotherSchemaVersionDiscardsMetadata() {
        var tables = TableMetadataCache()
        XCTAssertFalse(tables.hasSchemaVersion)
        tables.adoptSchemaVersion(1)
        XCTAssertTrue(tables.hasSchemaVersion)
        tables.store(metadata(), of: player)
        tables.adoptSchemaVersion(1)
        XCTAssertNotNil(tables[player])
        tables.adoptSchemaVersion(2)
        XCTAssertNil(tables[player])
    }

    func testMetadataIsDiscardedIfTheSchemaVersionCannotBeRead() {
        var tables = TableMetadataCache()
        tables.adoptSchemaVersion(1)
        tables.store(metadata(), of: player)
        tables.adoptSchemaVersion(nil)
        XCTAssertNil(tables[player])
    }

    func testEachTransactionComparesTheSchemaOnce() {
        var tables = TableMetadataCache()
        XCTAssertFalse(tables.isSchemaChecked)
        tables.schemaWillBeChecked()
        XCTAssertTrue(tables.isSchemaChecked)
        tables.transactionDidEnd()
        XCTAssertFalse(tables.isSchemaChecked)
    }
}
