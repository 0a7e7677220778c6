import Vigil
import XCTest

private struct Point: EncodableRecord {
    var x: Int?
    var y: Double

    func encode(to container: inout PersistenceContainer) {
        container["x"] = x
        container["y"] = y
    }
}

private struct Custom: EncodableRecord {
    var fill: @Sendable (inout PersistenceContainer) throws -> Void
    func encode(to container: inout PersistenceContainer) throws { try fill(&container) }
}

final class PersistenceContainerTests: XCTestCase {
    func testAContainerIsACollectionOfItsColumns() throws {
        let record = Custom { container in
            XCTAssertTrue(container.isEmpty)
            container["b"] = 1
            container["a"] = nil
            container["B"] = "x"
            XCTAssertEqual(container.map(\.0), ["b", "a"])
            XCTAssertEqual(container.map(\.1), ["x".databaseValue, .null])
            XCTAssertEqual(container["b"]?.databaseValue, "x".databaseValue)
            XCTAssertEqual(container["A"]?.databaseValue, .null)
            XCTAssertNil(container["c"])
            container[Column("c")] = 3
            XCTAssertEqual(container[Column("C")]?.databaseValue, 3.databaseValue)
        }
        XCTAssertEqual(
            try record.databaseDictionary,
            ["b": "x".databaseValue, "a": .null, "c": 3.databaseValue])
    }

    func testDatabaseEqualsComparesStoredValues() {
        XCTAssertTrue(Point(x: 1, y: 2).databaseEquals(Point(x: 1, y: 2)))
        XCTAssertFalse(Point(x: 1, y: 2).databaseEquals(Point(x: nil, y: 2)))
        struct Failure: Error {}
        let failing = Custom { _ in throw Failure() }
        XCTAssertFalse(failing.databaseEquals(failing))
        XCTAssertThrowsError(try failing.databaseDictionary) { XCTAssertTrue($0 is Failure) }
    }

    func testDatabaseChangesReturnsOldValues() throws {
        var point = Point(x: 1, y: 2)
        XCTAssertEqual(
            try Point(x: nil, y: 2).databaseChanges(from: point), ["x": 1.databaseValue])
        XCTAssertEqual(try point.databaseChanges(from: point), [:])
        XCTAssertEqual(
            try point.databaseChanges {
                $0.x = 3
                $0.y = 4
            }, ["x": 1.databaseValue, "y": 2.0.databaseValue])
        XCTAssertEqual(point.x, 3)
    }

    func testMissingColumnsCompareAsNull() throws {
        let some = Custom { $0["x"] = nil }
        XCTAssertEqual(try some.databaseChanges(from: Point(x: 1, y: 2)), ["x": 1.databaseValue])
        let reordered = Custom {
            $0["Y"] = 2.0
            $0["X"] = 1
            $0["z"] = 5
        }
        XCTAssertEqual(try reordered.databaseChanges(from: Point(x: 1, y: 2)), ["z": .null])
    }
}
