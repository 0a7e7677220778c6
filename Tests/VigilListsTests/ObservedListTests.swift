import VigilLists
import VigilStorage
import XCTest

final class ObservedListTests: XCTestCase {
    private let shape = ListShape(sources: [.init(TableName(name: "player"))], terms: [SortTerm()])

    /// Returns a followed list whose rows are sorted by themselves.
    private func list(_ numbers: some Sequence<Int>) -> ObservedList<Int> {
        var machine = ListMachine(
            ListTracking(shape: shape, followed: [0]), traits: ElementTraits(comparing: Int.self))
        var rows = machine.rows
        for number in numbers {
            withCells([.integer(Int64(number)), .integer(Int64(number))]) { rows.append(number, cells: $0) }
        }
        _ = machine.didFetchAll(rows)
        return ObservedList(machine.version)
    }

    func testANewListIsEmpty() {
        let list = ObservedList<Int>()
        XCTAssertTrue(list.isEmpty)
        XCTAssertEqual(list.count, 0)
        XCTAssertEqual(Array(list), [])
        XCTAssertNil(list.first)
        XCTAssertEqual(list, ObservedList())
        XCTAssertTrue(list.changes(since: list).isEmpty)
    }

    func testAListIsACollectionOfItsElements() {
        for count in [0, 1, 2, 31, 64, 65, 66, 500, 5_000] {
            let numbers = Array(0..<count)
            for list in [list(numbers), ObservedList(numbers, traits: .init())] {
                XCTAssertNil(list.violation())
                XCTAssertEqual(list.count, count)
                XCTAssertEqual(Array(list), numbers)
                XCTAssertEqual(list.map { $0 }, numbers)
                XCTAssertEqual(list.indices.map { list[$0] }, numbers)
                XCTAssertEqual(Array(list.reversed()), numbers.reversed())
                XCTAssertEqual(Array(list.dropFirst(3).prefix(40)), Array(numbers.dropFirst(3).prefix(40)))
                XCTAssertEqual(list.last, numbers.last)
            }
        }
    }

    func testAnIteratorEndsOnce() {
        var iterator = list(0..<2).makeIterator()
        XCTAssertEqual(
            [iterator.next(), iterator.next(), iterator.next(), iterator.next()], [0, 1, nil, nil])
    }

    func testIdentitiesAreRowIDsOrPositions() {
        let (one, two) = (list([3, 5]), list([5, 7]))
        XCTAssertEqual(one.identity(at: 1), two.identity(at: 0))
        XCTAssertNotEqual(one.identity(at: 0), two.identity(at: 0))
        let plain = ObservedList([3, 5], traits: .init())
        XCTAssertEqual(plain.identity(at: 1), ObservedList([4, 6], traits: .init()).identity(at: 1))
        XCTAssertNotEqual(plain.identity(at: 0), plain.identity(at: 1))
        XCTAssertNotEqual(plain.identity(at: 1), list([0, 1]).identity(at: 1))
    }

    func testListsAreEqualIfTheirElementsAre() {
        let numbers = Array(0..<300)
        XCTAssertEqual(list(numbers), list(numbers))
        XCTAssertEqual(list(numbers), ObservedList(numbers, traits: .init()))
        XCTAssertNotEqual(list(numbers), list(numbers.dropLast()))
        XCTAssertNotEqual(list(numbers), list(numbers.dropLast() + [300]))
        XCTAssertNotEqual(list(numbers), list(1...300))
        XCTAssertNotEqual(list(numbers), ObservedList())
        XCTAssertEqual(list([]), ObservedList())
    }
}
