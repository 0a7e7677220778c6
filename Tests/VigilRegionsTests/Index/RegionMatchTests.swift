import VigilRegions
import VigilStorage
import XCTest

/// An observer matches at most once per transaction.
final class RegionMatchTests: XCTestCase {
    private let foo = TableName(name: "foo")

    func testAnObserverMatchesOnce() {
        var index = index(DatabaseRegion(table: "foo"), DatabaseRegion(table: "foo", rowIds: [1]))
        XCTAssertEqual(index.matches(of: .insert("foo", 1)), [0, 1])
        XCTAssertEqual(index.matches(of: .insert("foo", 1)), [])
        XCTAssertTrue(index.isMatched(ObserverID(0)))
    }

    func testAnObserverOfSeveralTablesMatchesOnce() {
        let both = DatabaseRegion(table: "foo").union(DatabaseRegion(table: "bar", rowIds: [1]))
        var index = index(both)
        XCTAssertEqual(index.matches(of: .insert("foo", 5)), [0])
        XCTAssertEqual(index.matches(of: .insert("bar", 1)), [])
        XCTAssertFalse(index.hasArmedObservers(of: TableName(name: "bar")))
    }

    func testATableHasNoArmedObserversAfterAllMatched() {
        var index = index(
            DatabaseRegion(table: "foo"), DatabaseRegion(table: "foo", rowIds: [1]))
        XCTAssertTrue(index.hasArmedObservers(of: foo))
        _ = index.matches(of: .insert("foo", 2))
        XCTAssertTrue(index.hasArmedObservers(of: foo))
        _ = index.matches(of: .insert("foo", 1))
        XCTAssertFalse(index.hasArmedObservers(of: foo))
    }

    func testAnUnobservedTableHasNoArmedObservers() {
        XCTAssertFalse(index(DatabaseRegion(table: "bar")).hasArmedObservers(of: foo))
    }

    func testAnObserverOfTheFullDatabaseIsArmedForAnyTable() {
        var index = index(.fullDatabase)
        XCTAssertTrue(index.hasArmedObservers(of: foo))
        XCTAssertEqual(index.matches(of: .insert("bar", 2)), [0])
        XCTAssertFalse(index.hasArmedObservers(of: foo))
    }

    func testARearmedObserverMatchesAgain() {
        var index = index(
            DatabaseRegion(table: "foo", rowIds: [1]), DatabaseRegion(table: "foo", rowIds: [1, 2]))
        var matches: [RegionMatch] = []
        index.match(.insert("foo", 1), into: &matches)
        index.match(.insert("foo", 1), into: &matches)
        XCTAssertEqual(matches.count, 2)
        index.rearm(matches)
        XCTAssertFalse(index.isMatched(ObserverID(0)))
        XCTAssertEqual(index.matches(of: .insert("foo", 1)), [0, 1])
    }

    func testRearmingARemovedObserverDoesNothing() {
        var index = index(DatabaseRegion(table: "foo"))
        var matches: [RegionMatch] = []
        index.match(.insert("foo", 1), into: &matches)
        index.remove(ObserverID(0))
        index.rearm(matches)
        XCTAssertFalse(index.hasArmedObservers(of: foo))
    }

    func testAnObserverRegisteredAfterAMatchMatches() {
        var index = index(
            DatabaseRegion(table: "foo", rowIds: [1, 2]), DatabaseRegion(table: "foo", rowIds: [1]))
        XCTAssertEqual(index.matches(of: .insert("foo", 1)), [0, 1])
        XCTAssertEqual(index.matches(of: .insert("foo", 1)), [])
        index.insert(ObserverID(2), region: DatabaseRegion(table: "foo", rowIds: [1]))
        XCTAssertEqual(index.matches(of: .insert("foo", 1)), [2])
    }
}
