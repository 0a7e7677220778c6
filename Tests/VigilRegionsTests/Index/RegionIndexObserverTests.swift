import VigilRegions
import VigilStorage
import XCTest

/// Registration, replacement and removal of observers.
final class RegionIndexObserverTests: XCTestCase {
    func testARemovedObserverDoesNotMatch() {
        let regions = [
            DatabaseRegion.fullDatabase, DatabaseRegion(table: "foo"),
            DatabaseRegion(table: "foo", columns: ["a"]), DatabaseRegion(table: "foo", rowIds: [1]),
        ]
        for region in regions {
            var index = index(region, region, region)
            index.remove(ObserverID(0))
            XCTAssertEqual(index.matches(of: .insert("foo", 1)), [1, 2])
            index.remove(ObserverID(2))
            index.remove(ObserverID(1))
            XCTAssertFalse(index.hasArmedObservers(of: TableName(name: "foo")))
        }
    }

    func testRemovingAnObserverTwiceDoesNothing() {
        var index = index(DatabaseRegion(table: "foo"), DatabaseRegion(table: "foo"))
        index.remove(ObserverID(0))
        index.remove(ObserverID(0))
        XCTAssertEqual(index.matches(of: .insert("foo", 1)), [1])
    }

    func testAReplacedRegionMatchesOnlyItsOwnChanges() {
        var index = index(DatabaseRegion(table: "foo"))
        XCTAssertTrue(index.replaceRegion(of: ObserverID(0), with: DatabaseRegion(table: "bar")))
        XCTAssertEqual(index.matches(of: .insert("foo", 1)), [])
        XCTAssertEqual(index.matches(of: .insert("bar", 1)), [0])
    }

    func testReplacingTheRegionKeepsAnObserverDisarmed() {
        var index = index(DatabaseRegion(table: "foo"))
        XCTAssertEqual(index.matches(of: .insert("foo", 1)), [0])
        index.replaceRegion(of: ObserverID(0), with: DatabaseRegion(table: "bar"))
        XCTAssertFalse(index.hasArmedObservers(of: TableName(name: "bar")))
        XCTAssertEqual(index.matches(of: .insert("bar", 1)), [])
    }

    func testReplacingTheRegionOfAnUnknownObserverDoesNothing() {
        var index = RegionIndex()
        XCTAssertFalse(index.replaceRegion(of: ObserverID(0), with: .fullDatabase))
    }

    func testOnlyTheObserverOfTheChangedRowMatchesAmongMany() {
        var index = RegionIndex()
        for number in 0..<10_000 {
            index.insert(
                ObserverID(number), region: DatabaseRegion(table: "foo", rowIds: [Int64(number)]))
        }
        XCTAssertEqual(index.matches(of: .update("foo", 77, ["a"])), [77])
        XCTAssertEqual(index.matches(of: .update("foo", -1, ["a"])), [])
        for number in stride(from: 0, to: 10_000, by: 2) { index.remove(ObserverID(number)) }
        XCTAssertEqual(index.matches(of: .update("foo", 78, ["a"])), [])
        XCTAssertEqual(index.matches(of: .update("foo", 79, ["a"])), [79])
    }
}
