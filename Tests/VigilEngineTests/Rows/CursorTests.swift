import Vigil
import XCTest

private struct Failure: Error {}

final class CursorTests: XCTestCase {
    private var numbers: AnyCursor<Int> { AnyCursor([1, 2, 3, 4]) }
    private var empty: AnyCursor<Int> { AnyCursor([]) }

    /// A cursor that returns one element, and then throws an error.
    private var failing: AnyCursor<Int> {
        var isFirst = true
        return AnyCursor {
            defer { isFirst = false }
            if isFirst { return 1 }
            throw Failure()
        }
    }

    func testAnErrorIsNotASkippedElement() throws {
        var results: [Int?] = [nil, 1, nil, 2, 3]
        let numbers = AnyCursor<Int> {
            guard !results.isEmpty else { return nil }
            guard let number = results.removeFirst() else { throw Failure() }
            return number
        }
        let rest = numbers.dropFirst(2)
        XCTAssertThrowsError(try rest.next())
        XCTAssertThrowsError(try rest.next())
        XCTAssertEqual(try rest.next(), 3)
        XCTAssertNil(try rest.next())
    }

    func testElementsAreTransformed() throws {
        XCTAssertEqual(try Array(numbers.map { $0 * 2 }), [2, 4, 6, 8])
        XCTAssertEqual(try Array(numbers.filter { $0.isMultiple(of: 2) }), [2, 4])
        XCTAssertEqual(try Array(numbers.compactMap { $0 > 2 ? "\($0)" : nil }), ["3", "4"])
        XCTAssertEqual(
            try Array(numbers.enumerated().map { "\($0.0):\($0.1)" }), ["0:1", "1:2", "2:3", "3:4"])
    }

    /// A cursor that can only be iterated in one way.
    private final class WholeCursor: Cursor {
        private let elements: [Int]
        init(_ elements: [Int]) { self.elements = elements }

        func next() throws -> Int? { throw Failure() }
        func forEach(_ body: (Int) throws -> Void) throws { try elements.forEach(body) }
    }

    func testCollectionsAndDerivedCursorsUseForEach() throws {
        let whole = { WholeCursor([1, 2, 3, 2]) }
        XCTAssertEqual(try Array(whole()), [1, 2, 3, 2])
        XCTAssertEqual(try Array(whole(), minimumCapacity: 9), [1, 2, 3, 2])
        XCTAssertEqual(try Set(whole()), [1, 2, 3])
        XCTAssertEqual(try Set(whole(), minimumCapacity: 9), [1, 2, 3])
        XCTAssertEqual(try Set([5]).union(whole()), [1, 2, 3, 5])
        XCTAssertEqual(try Set([1, 5]).intersection(whole()), [1])
        XCTAssertEqual(try Dictionary(grouping: whole(), by: { $0 % 2 }), [0: [2, 2], 1: [1, 3]])
        XCTAssertEqual(
            try Dictionary(uniqueKeysWithValues: WholeCursor([1, 2]).map { ($0, -$0) }), [1: -1, 2: -2])
        XCTAssertEqual(try Array(whole().map { $0 * 2 }), [2, 4, 6, 4])
        XCTAssertEqual(try Array(whole().filter { $0 != 2 }), [1, 3])
        XCTAssertEqual(try Array(whole().compactMap { $0 == 2 ? nil : $0 }), [1, 3])
        XCTAssertEqual(try Array(whole().enumerated().map { $0.0 * 10 + $0.1 }), [1, 12, 23, 32])
        XCTAssertEqual(try Array(AnyCursor(whole())), [1, 2, 3, 2])
        XCTAssertEqual(try whole().reduce(0, +), 8)
        XCTAssertEqual(try whole().reduce(into: 0) { $0 += $1 }, 8)
        XCTAssertEqual(try whole().suffix(2), [3, 2])
        XCTAssertEqual(try whole().dropLast(), [1, 2, 3])
        XCTAssertEqual(try whole().map { "\($0)" }.joined(separator: ","), "1,2,3,2")
    }

    func testForEachContinuesAfterNext() throws {
        let cursors: [(AnyCursor<Int>, [Int])] = [
            (AnyCursor(numbers.map { $0 }), [2, 3, 4]), (AnyCursor(numbers.filter { $0 != 3 }), [2, 4]),
            (AnyCursor(numbers.enumerated().map { $0.0 }), [1, 2, 3]), (numbers, [2, 3, 4]),
        ]
        for (cursor, rest) in cursors {
            _ = try cursor.next()
            var seen: [Int] = []
            try cursor.forEach { seen.append($0) }
            XCTAssertEqual(seen, rest)
            XCTAssertNil(try cursor.next())
        }
    }

    func testForEachStopsAtTheElementWhoseBodyThrows() throws {
        let cursor = numbers.map { $0 }.filter { _ in true }.enumerated()
        XCTAssertThrowsError(try cursor.forEach { if $0.1 == 2 { throw Failure() } })
        XCTAssertTrue(try cursor.next().map { $0 == (2, 3) } == true)
    }

    func testDerivedCursorReadsLazily() throws {
        let cursor = failing.map { $0 }
        XCTAssertEqual(try cursor.next(), 1)
        XCTAssertThrowsError(try cursor.next())
    }

    func testElementsAreFlattened() throws {
        XCTAssertEqual(try Array(numbers.flatMap { 0..<($0 % 3) }), [0, 0, 1, 0])
        XCTAssertEqual(
            try Array(numbers.flatMap { n -> AnyCursor<Int> in AnyCursor([n, -n]) }),
            [1, -1, 2, -2, 3, -3, 4, -4])
        XCTAssertEqual(
            try Array([1, 2].flatMap { n -> AnyCursor<Int> in AnyCursor([n, -n]) }), [1, -1, 2, -2])
        XCTAssertEqual(try Array(AnyCursor([[1], [], [2, 3]]).joined()), [1, 2, 3])
        XCTAssertEqual(try Array(AnyCursor([numbers, empty, numbers]).joined()), [1, 2, 3, 4, 1, 2, 3, 4])
        XCTAssertEqual(try AnyCursor(["a", "b", "c"]).joined(separator: ", "), "a, b, c")
        XCTAssertEqual(try AnyCursor([String]()).joined(), "")
    }

    func testPrefixesAndSuffixesSelectElements() throws {
        XCTAssertEqual(try Array(numbers.prefix(2)), [1, 2])
        XCTAssertEqual(try Array(numbers.prefix(9)), [1, 2, 3, 4])
        XCTAssertEqual(try Array(numbers.prefix { $0 != 3 }), [1, 2])
        XCTAssertEqual(try Array(numbers.dropFirst()), [2, 3, 4])
        XCTAssertEqual(try Array(numbers.dropFirst(9)), [])
        XCTAssertEqual(try Array(numbers.drop { $0 != 3 }), [3, 4])
        XCTAssertEqual(try numbers.dropLast(), [1, 2, 3])
        XCTAssertEqual(try numbers.dropLast(3), [1])
        for length in 0...5 { XCTAssertEqual(try numbers.suffix(length), [1, 2, 3, 4].suffix(length)) }
    }

    func testPrefixReadsOnlyWhatItNeeds() throws {
        XCTAssertEqual(try Array(failing.prefix(1)), [1])
        let cursor = numbers
        XCTAssertEqual(try Array(cursor.prefix { $0 < 2 }), [1])
        XCTAssertEqual(try cursor.next(), 3)
    }

    func testFinishedPrefixStaysFinished() throws {
        let cursor = numbers.prefix { $0 != 2 }
        XCTAssertEqual(try Array(cursor), [1])
        XCTAssertNil(try cursor.next())
        let dropping = numbers.drop { $0 < 2 }
        XCTAssertEqual(try dropping.next(), 2)
        XCTAssertEqual(try dropping.filter { _ in true }.next(), 3)
    }

    func testCursorsCanBeReduced() throws {
        XCTAssertEqual(try numbers.reduce(0, +), 10)
        XCTAssertEqual(try numbers.reduce(into: "") { $0 += "\($1)" }, "1234")
        XCTAssertEqual(try AnyCursor([2, 3, 1]).max(), 3)
        XCTAssertEqual(try AnyCursor([2, 3, 1]).min(), 1)
        XCTAssertEqual(try AnyCursor(["aa", "bb", "c"]).max { $0.count < $1.count }, "aa")
        XCTAssertEqual(try AnyCursor(["aa", "b", "c"]).min { $0.count < $1.count }, "b")
        XCTAssertNil(try empty.max())
        XCTAssertTrue(try numbers.contains(3))
        XCTAssertFalse(try numbers.contains { $0 > 4 })
        XCTAssertEqual(try numbers.first { $0 > 2 }, 3)
        XCTAssertTrue(try empty.isEmpty)
        XCTAssertFalse(try numbers.isEmpty)
    }

    func testForEachVisitsEveryElementAndRethrows() throws {
        var visited: [Int] = []
        try numbers.forEach { visited.append($0) }
        XCTAssertEqual(visited, [1, 2, 3, 4])
        XCTAssertThrowsError(try failing.forEach { _ in })
        XCTAssertThrowsError(try failing.reduce(0, +))
    }

    func testCollectionsCanBeCreatedFromCursors() throws {
        XCTAssertEqual(try Array(numbers, minimumCapacity: 10), [1, 2, 3, 4])
        XCTAssertEqual(try Set(AnyCursor([1, 1, 2])), [1, 2])
        XCTAssertEqual(try Set(numbers, minimumCapacity: 10), [1, 2, 3, 4])
        XCTAssertEqual(try String(AnyCursor(["a", "b"] as [Character])), "ab")
        XCTAssertEqual(try Dictionary(grouping: numbers, by: { $0 % 2 }), [0: [2, 4], 1: [1, 3]])
        XCTAssertEqual(
            try Dictionary(uniqueKeysWithValues: numbers.prefix(2).map { ($0, "\($0)") }), [1: "1", 2: "2"])
        var array = [0]
        try array.append(contentsOf: numbers.prefix(1))
        XCTAssertEqual(array, [0, 1])
        XCTAssertThrowsError(try Array(failing))
    }

    func testSetsCanBeCombinedWithCursors() throws {
        let set: Set = [3, 4, 5]
        XCTAssertEqual(try set.union(numbers), [1, 2, 3, 4, 5])
        XCTAssertEqual(try set.intersection(numbers), [3, 4])
        var changed = set
        try changed.formIntersection(numbers)
        XCTAssertEqual(changed, [3, 4])
        try changed.formUnion(AnyCursor(iterator: [9].makeIterator()))
        XCTAssertEqual(changed, [3, 4, 9])
    }
}
