import VigilRegions
import VigilStorage
import XCTest

/// The cost of a change depends on the number of matches, not on the number of observers.
final class MatchingCostTests: XCTestCase {
    private let images = FakeImages(["team", "score"], old: nil, new: [.integer(77), .integer(775)])

    /// Returns the numbers of visited groups and nodes, and of matches, for the change of one row.
    private func cost(_ count: Int, _ region: (Int64) -> DatabaseRegion) -> (visits: Int, matches: Int) {
        var index = RegionIndex()
        for number in 0..<count { index.insert(ObserverID(number), region: region(Int64(number))) }
        let before = index.visitCount
        let matches = index.matches(of: .insert("foo", 77), images: images)
        return (index.visitCount - before, matches.count)
    }

    func testEqualitiesAreLookedUp() {
        func region(_ number: Int64) -> DatabaseRegion {
            DatabaseRegion("foo", nil, where: [[.equals("team", .integer(number))]])
        }
        XCTAssertEqual(cost(100, region).matches, 1)
        XCTAssertEqual(cost(100, region).visits, cost(2_000, region).visits)
    }

    func testConditionsOnTheRowIDAreLookedUp() {
        func region(_ number: Int64) -> DatabaseRegion {
            DatabaseRegion("foo", nil, where: [[.rowID(number), .range("score", .integer(0), nil)]])
        }
        XCTAssertEqual(cost(100, region).matches, 1)
        XCTAssertEqual(cost(100, region).visits, cost(2_000, region).visits)
    }

    func testTheMostSelectiveConditionIsLookedUp() {
        func region(_ number: Int64) -> DatabaseRegion {
            let all = RowCondition.range("score", .integer(0), nil)
            return DatabaseRegion("foo", nil, where: [[all, .equals("team", .integer(number))]])
        }
        XCTAssertEqual(cost(100, region).matches, 1)
        XCTAssertEqual(cost(100, region).visits, cost(2_000, region).visits)
    }

    func testIntervalsAreFoundInATree() {
        func region(_ number: Int64) -> DatabaseRegion {
            DatabaseRegion(
                "foo", nil, where: [[.range("score", .integer(number * 10), .integer(number * 10 + 10))]])
        }
        let one = cost(2_000, region)
        XCTAssertEqual(one.matches, 1)
        XCTAssertLessThan(one.visits, 100)
        func upwards(_ number: Int64) -> DatabaseRegion {
            DatabaseRegion("foo", nil, where: [[.range("score", .integer(number * 100), nil)]])
        }
        let few = cost(2_000, upwards)
        XCTAssertEqual(few.matches, 8)
        XCTAssertLessThan(few.visits, 200)
        func downwards(_ number: Int64) -> DatabaseRegion {
            DatabaseRegion("foo", nil, where: [[.range("score", nil, .integer(1_500 - number))]])
        }
        let many = cost(2_000, downwards)
        XCTAssertEqual(many.matches, 725)
        XCTAssertLessThan(many.visits, 725 * 4)
    }

    func testMatchedIntervalsAreNotVisitedAgain() {
        var index = RegionIndex()
        for number in 0..<2_000 {
            index.insert(
                ObserverID(number),
                region: DatabaseRegion("foo", nil, where: [[.range("score", .integer(Int64(-number)), nil)]]))
        }
        index.insert(
            ObserverID(2_000),
            region: DatabaseRegion("foo", nil, where: [[.range("score", nil, .integer(-10_000))]]))
        XCTAssertEqual(index.matches(of: .insert("foo", 1), images: images).count, 2_000)
        let before = index.visitCount
        XCTAssertEqual(index.matches(of: .insert("foo", 1), images: images), [])
        XCTAssertLessThan(index.visitCount - before, 10)
    }

    func testARowWithoutMatchesIsNotComparedWithAnyObserver() {
        var recorder = Recorder()
        for number in 1_000..<2_000 {
            recorder.index.insert(
                ObserverID(number),
                region: DatabaseRegion("foo", nil, where: [[.equals("team", .integer(Int64(number)))]]))
        }
        for number in 0..<10_000 { recorder.record(.row(.insert("foo", Int64(number)), images: images)) }
        XCTAssertEqual(recorder.index.visitCount, 0)
        XCTAssertEqual(recorder.commit(), [])
    }

    func testAMatchIsFoundAfterManyInsertionsAndRemovals() {
        var index = RegionIndex()
        func region(_ number: Int) -> DatabaseRegion {
            DatabaseRegion(
                "foo", nil,
                where: [[.range("score", .integer(Int64(number) * 10), .integer(Int64(number) * 10 + 10))]])
        }
        for number in 0..<2_000 { index.insert(ObserverID(number), region: region(number)) }
        for number in 0..<2_000 where number % 3 > 0 { index.remove(ObserverID(number)) }
        for number in 0..<2_000 where number % 3 == 1 {
            index.insert(ObserverID(number), region: region(number))
        }
        XCTAssertEqual(index.matches(of: .insert("foo", 1), images: images), [])
        XCTAssertEqual(
            index.matches(
                of: .insert("foo", 1), images: FakeImages(["score"], old: nil, new: [.real(785.5)])),
            [78])
    }
}
