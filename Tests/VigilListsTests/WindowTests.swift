import VigilLists
import VigilRegions
import VigilStorage
import XCTest

/// Lists that show some of the first rows, step by step.
final class WindowTests: XCTestCase {
    private let player = TableName(name: "player")
    /// The rows of `SELECT id FROM player ORDER BY score`, by id.
    private var scores: [Int64: Int64] = [:]
    private var machine = ListMachine(notFollowed: "", traits: ElementTraits(comparing: Int64.self))
    private var fullFetches: [FullFetchReason] = []
    /// The cost of fetching the first rows.
    private var cost: Int?

    private var sorted: [Int64] { scores.keys.sorted { (scores[$0] ?? 0, $0) < (scores[$1] ?? 0, $1) } }

    private var shown: [Int64] { machine.version.map { Array(ObservedList<Int64>($0)) } ?? [] }

    private func start(_ window: WindowRange, _ ids: some Sequence<Int64>, cost: Int? = nil) {
        scores = Dictionary(uniqueKeysWithValues: ids.map { ($0, $0 * 10) })
        self.cost = cost
        let shape = ListShape(sources: [.init(player)], terms: [SortTerm()])
        machine = ListMachine(
            ListTracking(shape: shape, followed: [0], window: window),
            traits: ElementTraits(comparing: Int64.self))
        fullFetches = []
        fetchAll()
    }

    private func fetched(_ ids: some Sequence<Int64>) -> FetchedRows {
        var rows = machine.rows
        for id in ids {
            withCells([.integer(id), .integer(scores[id] ?? 0)]) { rows.append(id, cells: $0) }
        }
        return rows
    }

    private func fetchAll() {
        _ = machine.didFetchAll(fetched(sorted.prefix(machine.fetchCount ?? .max)), cost: cost)
    }

    /// Changes scores, or deletes rows, and updates the list. Returns whether it has a new version.
    @discardableResult
    private func change(_ changes: [Int64: Int64?]) -> Bool {
        for (id, score) in changes { scores[id] = score }
        var set = ChangeSet()
        for id in changes.keys {
            set.record(
                RowChangeSummary(table: player, kind: .update, oldKey: .integer(id), newKey: .integer(id)),
                rowLimit: 1_000)
        }
        let last = machine.version?.number
        switch machine.didRequestFetch(set) {
        case .none: break
        case .rows(let ids):
            let found = ids[0].filter { scores[$0] != nil }
            if case .fetchAll(let reason) = machine.didFetch(fetched(found)) {
                fullFetches.append(reason)
                fetchAll()
            }
        case .all(let reason):
            fullFetches.append(reason)
            fetchAll()
        }
        return machine.version?.number != last
    }

    private func removal(of ids: ClosedRange<Int64>) -> [Int64: Int64?] {
        Dictionary(uniqueKeysWithValues: ids.map { ($0, Int64?.none) })
    }

    /// Changes of scores that move no row.
    private func smallUpdate(of ids: ClosedRange<Int64>) -> [Int64: Int64?] {
        Dictionary(uniqueKeysWithValues: ids.map { ($0, Int64?.some($0 * 10 + 1)) })
    }

    func testOnlyTheRowsOfTheWindowAreShown() {
        start(WindowRange(offset: 2, limit: 3), 1...100)
        XCTAssertEqual(shown, [3, 4, 5])
        start(WindowRange(limit: 3), 1...2)
        XCTAssertEqual(shown, [1, 2])
        start(WindowRange(offset: 5, limit: 3), 1...2)
        XCTAssertEqual(shown, [])
        start(WindowRange(offset: 1, limit: nil), 1...4)
        XCTAssertEqual(shown, [2, 3, 4])
    }

    func testARowThatLeavesIsReplacedByAKeptOne() {
        start(WindowRange(limit: 3), 1...100)
        let before = machine.version
        XCTAssertTrue(change([2: nil]))
        XCTAssertEqual(shown, [1, 3, 4])
        XCTAssertTrue(change([3: 900]))
        XCTAssertEqual(shown, [1, 4, 5])
        XCTAssertEqual(fullFetches, [])
        let change = ObservedList<Int64>(machine.version).changes(since: ObservedList(before))
        XCTAssertEqual(change.removed, RangeSet(1..<3))
        XCTAssertEqual(change.inserted, RangeSet(1..<3))
        XCTAssertEqual(change.moved, [])
    }

    func testRowsBeforeTheWindowShiftIt() {
        start(WindowRange(offset: 2, limit: 2), 1...50)
        XCTAssertTrue(change([0: 5]))
        XCTAssertEqual(shown, [2, 3])
        XCTAssertTrue(change([0: nil, 1: nil]))
        XCTAssertEqual(shown, [4, 5])
    }

    func testAChangeOfARowThatIsNotShownIsNoNewVersion() {
        start(WindowRange(limit: 3), 1...100)
        XCTAssertFalse(change([10: 105]))
        XCTAssertFalse(change([99: 991]))
        XCTAssertFalse(change([101: 1_010]))
        XCTAssertTrue(change([99: 1]))
        XCTAssertEqual(shown, [99, 1, 2])
        XCTAssertEqual(fullFetches, [])
    }

    func testARowBehindTheBoundIsNotKept() {
        start(WindowRange(limit: 3), 1...100)
        // The bound is the row 19. If the row 50 were kept, the window would show it before the row 20.
        change([50: 505])
        change(removal(of: 4...17))
        change([18: nil])
        XCTAssertEqual(shown, [1, 2, 3])
        XCTAssertEqual(fullFetches, [])
        change([19: nil, 1: nil])
        XCTAssertEqual(shown, [2, 3, 20])
        XCTAssertEqual(fullFetches, [.shortWindow])
    }

    func testACompleteWindowIsNeverFetchedAgain() {
        start(WindowRange(limit: 3), 1...10)
        for id in 1...Int64(9) { change([id: nil]) }
        XCTAssertEqual(shown, [10])
        change([50: 5])
        XCTAssertEqual(shown, [50, 10])
        XCTAssertEqual(fullFetches, [])
    }

    func testTooManyRowsAreCut() {
        start(WindowRange(limit: 3), 1...100, cost: 1_000_000)
        // 19 rows are kept, and up to 51.
        for id in 201...Int64(233) { change([id: 9]) }
        XCTAssertEqual(fullFetches, [])
        XCTAssertEqual(shown, [201, 202, 203])
        // The rows 220 to 233 and 1 to 19 are not kept any more, so a row among them is not inserted.
        change([50: 105])
        change(removal(of: 201...216))
        XCTAssertEqual(shown, [217, 218, 219])
        change([217: nil])
        XCTAssertEqual(shown, [218, 219, 220])
        XCTAssertEqual(fullFetches, [.shortWindow])
    }

    func testAWindowFetchedAtLittleCostIsFetchedAgainInsteadOfBeingCut() {
        start(WindowRange(limit: 3), 1...100, cost: 300)
        for id in 201...Int64(233) { change([id: 9]) }
        XCTAssertEqual(fullFetches, [.longWindow])
        XCTAssertEqual(shown, [201, 202, 203])
    }

    func testTheSlackGrowsIfFetchingIsExpensive() {
        start(WindowRange(limit: 3), 1...3_000, cost: 1_000_000)
        XCTAssertEqual(machine.fetchCount, 19)
        for expected in [35, 67, 131, 259, 515, 1_027, 1_027] {
            let kept = sorted.prefix(machine.fetchCount ?? 0)
            for id in kept.dropLast(2) { change([id: nil]) }
            XCTAssertEqual(machine.fetchCount, expected)
        }
        start(WindowRange(limit: 3), 1...3_000, cost: 300)
        for id in 1...Int64(17) { change([id: nil]) }
        XCTAssertEqual(fullFetches, [.shortWindow])
        XCTAssertEqual(machine.fetchCount, 19)
    }

    func testManyChangedRowsAreLookedUpIfFetchingCostsMore() {
        start(WindowRange(limit: 3), 1...1_000, cost: 1_000_000)
        change(smallUpdate(of: 101...600))
        XCTAssertEqual(fullFetches, [])
        start(WindowRange(limit: 3), 1...1_000, cost: 300)
        change(smallUpdate(of: 101...600))
        XCTAssertEqual(fullFetches, [.manyRows(500)])
    }

    func testRowsInAnotherOrderAreFetchedAgainWithoutThoseBesideTheWindow() {
        start(WindowRange(limit: 2), [])
        scores = [1: 10, 2: 10, 3: 10]
        guard case .fetchAll(.notFollowed) = machine.didFetchAll(fetched([2, 1, 3])) else {
            return XCTFail("the order of rows with equal scores was not verified")
        }
        XCTAssertFalse(machine.isWindow)
        var rows = machine.rows
        for id in [Int64(2), 1] { rows.append(id) }
        _ = machine.didFetchAll(rows)
        XCTAssertEqual(shown, [2, 1])
    }

    func testAnotherWindowKeepsEqualRows() {
        start(WindowRange(limit: 3), 1...100)
        let before = ObservedList<Int64>(machine.version)
        let shape = ListShape(sources: [.init(player)], terms: [SortTerm()])
        machine.didChangePlan(ListTracking(shape: shape, followed: [0], window: WindowRange(limit: 6)))
        XCTAssertEqual(machine.didRequestFetch(ChangeSet()), .all(.newPlan))
        fetchAll()
        let change = ObservedList<Int64>(machine.version).changes(since: before)
        XCTAssertEqual(change.inserted, RangeSet(3..<6))
        XCTAssertTrue(change.removed.isEmpty && change.updated.isEmpty && change.moved.isEmpty)
        machine.didChangePlan(ListTracking(shape: shape, followed: [0]))
        fetchAll()
        XCTAssertEqual(shown.count, 100)
    }

    // MARK: Ranges

    func testRangesHaveTheValuesOfParameters() throws {
        func range(_ limit: StorageValue, _ offset: StorageValue) throws -> WindowRange {
            try WindowRange(.init(limit: .parameter(1), offset: .parameter(2))) { [limit, offset][$0 - 1] }
        }
        XCTAssertEqual(try range(.integer(5), .integer(2)), WindowRange(offset: 2, limit: 5))
        XCTAssertEqual(try range(.integer(-1), .integer(-2)), WindowRange(offset: 0, limit: nil))
        XCTAssertEqual(try range(.integer(.max), .integer(0)), WindowRange(limit: nil))
        for (limit, offset) in [(StorageValue.real(5), StorageValue.integer(0)), (.integer(1), .null)] {
            XCTAssertThrowsError(try range(limit, offset)) {
                XCTAssertEqual($0 as? WindowRange.Failure, .notAnInteger)
            }
        }
        XCTAssertThrowsError(try range(.integer(5), .integer(257))) {
            XCTAssertEqual($0 as? WindowRange.Failure, .farFromStart)
        }
    }
}
