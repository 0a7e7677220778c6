import Synchronization
import Vigil
import XCTest

/// The values that operators deliver.
final class OperatorTests: XCTestCase {
    private let maximum = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT MAX(+a) FROM t") ?? 0
    }
    .coalescing(.never)

    private func insert(_ values: [Int], _ writer: any DatabaseWriter) throws {
        for value in values { try writer.commit("INSERT INTO t(a) VALUES (\(value))") }
    }

    func testConsecutiveEqualValuesAreLeftOutAfterTheFirst() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(maximum.removeDuplicates())
            try insert([1, 1, 0, 2, 2, 3], fixture.writer)
            observed.expect([0, 1, 2, 3])
        }
    }

    func testAValueThatRecursLaterIsNotADuplicate() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(rowCounts.coalescing(.never).removeDuplicates())
            try insert([1], fixture.writer)
            try fixture.writer.commit("DELETE FROM t")
            try insert([1], fixture.writer)
            observed.expect([0, 1, 0, 1])
        }
    }

    func testThePredicateDecidesWhatIsADuplicate() throws {
        try onEachFixture { fixture in
            let all = fixture.observe(maximum.removeDuplicates { _, _ in false })
            let even = fixture.observe(maximum.removeDuplicates { $0 / 2 == $1 / 2 })
            let first = fixture.observe(maximum.removeDuplicates { _, _ in true })
            try insert([1, 1, 2, 3, 4], fixture.writer)
            all.expect([0, 1, 1, 2, 3, 4])
            even.expect([0, 2, 4])
            first.expect([0])
        }
    }

    func testThePredicateComparesEachValueWithTheLastKeptValue() throws {
        try onEachFixture { fixture in
            let pairs = Values<[Int]>()
            let observed = fixture.observe(
                maximum.removeDuplicates { old, new in
                    pairs.append([old, new])
                    return new - old < 2
                })
            try insert([1, 2, 3, 9], fixture.writer)
            observed.expect([0, 2, 9])
            XCTAssertEqual(pairs.all, [[0, 1], [0, 2], [2, 3], [2, 9]])
        }
    }

    func testNoRowAndARowWithNullAreDistinct() throws {
        try onEachFixture { fixture in
            let request: SQLRequest<String?> = "SELECT a FROM t"
            let observed = fixture.observe(
                ValueObservation.trackingOne(request).coalescing(.never).removeDuplicates())
            try fixture.writer.commit("INSERT INTO t(a) VALUES (NULL)")
            try fixture.writer.commit("UPDATE t SET a = 'x'")
            try fixture.writer.commit("UPDATE t SET a = NULL")
            try fixture.writer.commit("DELETE FROM t")
            observed.expect([nil, .some(nil), "x", .some(nil), nil])
        }
    }

    func testOptionalsThatStayNilAreDuplicates() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT MAX(+a) FROM t") }
                    .coalescing(.never).removeDuplicates())
            try fixture.insert(2)
            try insert([5, 5], fixture.writer)
            observed.expect([nil, 5])
        }
    }

    func testOperatorsKeepWriteAccess() throws {
        var observation = rowCounts
        XCTAssertFalse(observation.map { $0 }.requiresWriteAccess)
        observation.requiresWriteAccess = true
        XCTAssertTrue(observation.map { $0 }.requiresWriteAccess)
        XCTAssertTrue(observation.removeDuplicates().requiresWriteAccess)
        XCTAssertTrue(observation.print().requiresWriteAccess)
        XCTAssertTrue(observation.handleEvents().requiresWriteAccess)
        XCTAssertTrue(observation.withCommitNumber().requiresWriteAccess)
        XCTAssertTrue(observation.throttled(.seconds(1)).labeled("a").map { $0 }.requiresWriteAccess)
    }

    func testValuesAreTransformedInOrderAndOffTheConnection() throws {
        try onEachFixture { fixture in
            let writer = fixture.writer
            let observed = fixture.observe(
                rowCounts.coalescing(.never).map { count in
                    // This read would trap on the connection of a queue.
                    try writer.read { db in try Int.fetchOne(db, sql: "SELECT 10") ?? 0 } * count
                })
            try fixture.insert(3)
            observed.expect([0, 10, 20, 30])
        }
    }

    func testEachStartHasItsOwnMemoryOfDuplicates() throws {
        try onEachFixture { fixture in
            let observation = rowCounts.removeDuplicates()
            for _ in 0..<3 {
                let observed = fixture.observe(observation)
                observed.expect([0])
                observed.cancel()
            }
        }
    }

    func testEqualityOfRowsIsEqualityOfTheirValues() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking { db in try Row.fetchAll(db, sql: "SELECT a FROM t") }
                    .coalescing(.never).removeDuplicates())
            try fixture.writer.commit("INSERT INTO t VALUES (1, 'x')")
            try fixture.writer.commit("UPDATE t SET a = 'y'; UPDATE t SET a = 'x'")
            try fixture.writer.commit("UPDATE t SET a = 'y'")
            observed.expect([[], [["a": "x"]], [["a": "y"]]])
        }
    }
}
