import Synchronization
import VigilLists
import VigilRegions
import VigilStorage
import XCTest

final class ListMachineTests: XCTestCase {
    private let player = TableName(name: "player")
    private let team = TableName(name: "team")

    /// A machine of `SELECT name FROM player ORDER BY score`.
    private func machine(watched: [TableName] = []) -> ListMachine {
        let shape = ListShape(sources: [.init(player)], terms: [SortTerm()])
        let tracking = ListTracking(shape: shape, followed: [0], watched: watched)
        return ListMachine(tracking, traits: ElementTraits(comparing: String.self))
    }

    /// Rows of a name, a row id and a score.
    private typealias Row = (name: String, id: Int64, score: ModelValue)

    private func fetched(_ machine: ListMachine, _ rows: [Row]) -> FetchedRows {
        var fetched = machine.rows
        for row in rows {
            withCells([.integer(row.id), row.score]) { fetched.append(row.name, cells: $0) }
        }
        return fetched
    }

    /// Rows without hidden columns.
    private func unordered(_ machine: ListMachine, _ names: [String]) -> FetchedRows {
        var fetched = machine.rows
        for name in names { fetched.append(name) }
        return fetched
    }

    private func changes(_ rowIDs: Int64..., table: TableName? = nil) -> ChangeSet {
        changes(rowIDs, table: table)
    }

    private func changes(_ rowIDs: [Int64], table: TableName? = nil) -> ChangeSet {
        var changes = ChangeSet()
        for rowID in rowIDs {
            changes.record(
                RowChangeSummary(
                    table: table ?? player, kind: .update, oldKey: .integer(rowID), newKey: .integer(rowID)),
                rowLimit: 50_000)
        }
        return changes
    }

    private let rows: [Row] = [
        ("Barbara", 2, .integer(1)), ("Arthur", 1, .integer(5)), ("Craig", 3, .integer(7)),
    ]

    private func started(watched: [TableName] = []) -> ListMachine {
        var machine = machine(watched: watched)
        _ = machine.didFetchAll(fetched(machine, rows))
        return machine
    }

    private func list(_ machine: ListMachine) -> ObservedList<String>? {
        machine.version.map { ObservedList($0) }
    }

    private func names(_ outcome: ListOutcome, line: UInt = #line) -> [String] {
        if case .list(let list) = outcome { return Array(ObservedList<String>(list)) }
        XCTFail("\(outcome)", line: line)
        return []
    }

    private func assertUnchanged(_ outcome: ListOutcome, line: UInt = #line) {
        guard case .unchanged = outcome else { return XCTFail("\(outcome)", line: line) }
    }

    // MARK: Requests

    func testTheFirstFetchIsFull() {
        var machine = machine()
        XCTAssertNil(list(machine))
        XCTAssertEqual(machine.didRequestFetch(changes(1)), .all(.first))
        XCTAssertEqual(names(machine.didFetchAll(fetched(machine, rows))), ["Barbara", "Arthur", "Craig"])
        XCTAssertNil(machine.unfollowedReason)
    }

    func testChangedRowsOfFollowedTablesAreFetched() {
        var machine = started()
        XCTAssertEqual(machine.didRequestFetch(changes(1, 9)), .rows([[1, 9]]))
        XCTAssertEqual(machine.didRequestFetch(ChangeSet()), .none)
        XCTAssertEqual(machine.didRequestFetch(changes(1, table: team)), .none)
    }

    func testUnknownChangesNeedAFullFetch() {
        var machine = started()
        XCTAssertEqual(machine.didRequestFetch(nil), .all(.unknownChanges))
        XCTAssertEqual(machine.didRequestFetch(.wholeDatabase), .all(.unknownChanges))
        var changes = ChangeSet()
        changes.recordWholeTable(player)
        XCTAssertEqual(machine.didRequestFetch(changes), .all(.unknownRows(player)))
        changes = ChangeSet()
        changes.recordWholeTable(team)
        XCTAssertEqual(machine.didRequestFetch(changes), .none)
    }

    func testManyChangedRowsNeedAFullFetch() {
        var machine = started()
        let limit = Int64(ListMachine.leastRowLimit)
        XCTAssertEqual(machine.didRequestFetch(changes(Array(1...limit))), .rows([Set(1...limit)]))
        XCTAssertEqual(machine.didRequestFetch(changes(Array(0...limit))), .all(.manyRows(Int(limit) + 1)))
    }

    func testManyRowsOfALongListNeedAFullFetch() {
        var machine = machine()
        let many = (0..<10_000).map { ("", Int64($0), ModelValue.integer(Int64($0))) }
        _ = machine.didFetchAll(fetched(machine, many))
        XCTAssertEqual(machine.didRequestFetch(changes(Array(1...1_024))), .rows([Set(1...1_024)]))
        XCTAssertEqual(machine.didRequestFetch(changes(Array(0...1_024))), .all(.manyRows(1_025)))
        XCTAssertNil(machine.costLimit)
        // If the cost of a full fetch is known, many rows are looked up until they cost too much.
        _ = machine.didFetchAll(fetched(machine, many), cost: 80_000)
        XCTAssertEqual(machine.didRequestFetch(changes(Array(1...2_500))), .rows([Set(1...2_500)]))
        XCTAssertEqual(machine.didRequestFetch(changes(Array(0...2_500))), .all(.manyRows(2_501)))
        XCTAssertEqual(machine.costLimit, 40_000)
    }

    func testTheNumberOfChangedRowsIsLimited() {
        var machine = machine()
        let limit = Int64(ListMachine.rowLimit)
        let many = (0..<limit * 5).map { ("", $0, ModelValue.integer($0)) }
        _ = machine.didFetchAll(fetched(machine, many), cost: 800_000)
        XCTAssertEqual(machine.didRequestFetch(changes(Array(1...limit))), .rows([Set(1...limit)]))
        XCTAssertEqual(machine.didRequestFetch(changes(Array(0...limit))), .all(.manyRows(Int(limit) + 1)))
    }

    func testChangesOfWatchedTablesNeedAFullFetch() {
        var machine = started(watched: [team])
        XCTAssertEqual(machine.didRequestFetch(changes(1, table: team)), .all(.watchedTables))
        XCTAssertEqual(machine.didRequestFetch(changes(1)), .rows([[1]]))
    }

    func testOnlyTheRegionOfWatchedTablesIsWatched() {
        var machine = machine(watched: [team])
        let region = DatabaseRegion(table: "team", rowIds: [1]).union(DatabaseRegion(table: "player"))
        _ = machine.didFetchAll(fetched(machine, rows), region: region)
        XCTAssertEqual(machine.didRequestFetch(changes(1, table: team)), .all(.watchedTables))
        XCTAssertEqual(machine.didRequestFetch(changes(2, table: team)), .none)
        XCTAssertEqual(machine.didRequestFetch(changes(2)), .rows([[2]]))
        _ = machine.didFetchAll(fetched(machine, rows), region: .fullDatabase)
        XCTAssertEqual(machine.didRequestFetch(changes(2)), .all(.watchedTables))
    }

    // MARK: Rows

    func testFetchedRowsReplaceChangedOnes() {
        var machine = started()
        let first = list(machine)
        XCTAssertEqual(machine.didRequestFetch(changes(1, 2, 4)), .rows([[1, 2, 4]]))
        let outcome = machine.didFetch(
            fetched(machine, [("Diane", 4, .integer(6)), ("Arthur", 1, .null)]))
        XCTAssertEqual(names(outcome), ["Arthur", "Diane", "Craig"])
        XCTAssertEqual(first.map(Array.init), ["Barbara", "Arthur", "Craig"])
    }

    func testSomeOfManyRowsMoveAppearAndDisappear() {
        var machine = machine()
        let many = (1...100).map { Row(name: "row \($0)", id: Int64($0), score: .integer($0)) }
        _ = machine.didFetchAll(fetched(machine, many))
        // Rows 20 to 22 keep their place, 30 moves to the end, 40 disappears, 101 appears.
        let found: [Row] = [
            ("moved", 30, .integer(200)), ("kept", 22, .integer(22)), ("kept", 20, .integer(20)),
            ("new", 101, .integer(25)), ("kept", 21, .integer(21)),
        ]
        let ids: [Int64] = [20, 21, 22, 30, 40, 101]
        _ = machine.didRequestFetch(changes(ids))
        let outcome = names(machine.didFetch(fetched(machine, found)))
        var rows = many.filter { !ids.contains($0.id) } + found
        rows.sort { a, b in
            guard case (.integer(let a), .integer(let b)) = (a.score, b.score) else { return false }
            return a < b
        }
        XCTAssertEqual(outcome, rows.map(\.name))
    }

    func testEqualRowsAreNoNewVersion() {
        var machine = started()
        _ = machine.didRequestFetch(changes(1))
        assertUnchanged(machine.didFetch(fetched(machine, [rows[1]])))
        assertUnchanged(machine.didFetchAll(fetched(machine, rows)))
        _ = machine.didRequestFetch(changes(99))
        assertUnchanged(machine.didFetch(fetched(machine, [])))
    }

    func testAFullFetchKeepsEqualRows() throws {
        var machine = started()
        let old = try XCTUnwrap(list(machine))
        var changed = rows
        changed[1].name = "Artemis"
        XCTAssertEqual(
            names(machine.didFetchAll(fetched(machine, changed))), ["Barbara", "Artemis", "Craig"])
        var change = ListChange()
        change.updated = RangeSet(1..<2)
        XCTAssertEqual(list(machine)?.changes(since: old), change)
    }

    func testARowThatComesBackToItsPlaceIsUpdated() throws {
        var machine = machine()
        let many = (1...10).map { Row(name: "row \($0)", id: Int64($0), score: .integer($0)) }
        _ = machine.didFetchAll(fetched(machine, many))
        var versions: [ObservedList<String>] = []
        for row in [("first", 11, .integer(4)), ("away", 11, .integer(9)), ("second", 11, .integer(4))]
            as [Row]
        {
            _ = machine.didRequestFetch(changes(11))
            _ = machine.didFetch(fetched(machine, [row]))
            versions.append(try XCTUnwrap(list(machine)))
        }
        XCTAssertEqual(versions.map { $0.firstIndex { !$0.hasPrefix("row") } }, [4, 9, 4])
        var change = ListChange()
        change.updated = RangeSet(4..<5)
        XCTAssertEqual(versions[2].changes(since: versions[0]), change)
    }

    func testRowsWithEqualSortValuesAreInTheOrderOfRowIDs() {
        var machine = machine()
        let tied: [Row] = [("C", 3, .integer(1)), ("A", 1, .integer(1)), ("B", 2, .integer(1))]
        XCTAssertEqual(names(machine.didFetchAll(fetched(machine, tied))), ["A", "B", "C"])
    }

    func testAnEmptyListIsAVersion() {
        var machine = machine()
        XCTAssertEqual(names(machine.didFetchAll(fetched(machine, []))), [])
        assertUnchanged(machine.didFetchAll(fetched(machine, [])))
        _ = machine.didRequestFetch(changes(1))
        XCTAssertEqual(names(machine.didFetch(fetched(machine, [rows[1]]))), ["Arthur"])
        _ = machine.didRequestFetch(changes(1))
        XCTAssertEqual(names(machine.didFetch(fetched(machine, []))), [])
    }

    // MARK: Lists that are not followed

    func testAMisunderstoodOrderIsNotFollowed() {
        var machine = machine()
        let unordered = [rows[1], rows[0], rows[2]]
        XCTAssertEqual(
            names(machine.didFetchAll(fetched(machine, unordered))), ["Arthur", "Barbara", "Craig"])
        XCTAssertEqual(machine.unfollowedReason, .order(row: 1))
        XCTAssertEqual(machine.didRequestFetch(changes(1)), .all(.notFollowed(.order(row: 1))))
        XCTAssertEqual(machine.didRequestFetch(ChangeSet()), .none)
        XCTAssertEqual(machine.rows.cellCount, 0)
    }

    func testRepeatedRowIDsAreNotFollowed() {
        for repeated in [[rows[0], rows[0]], [("", 3, .null), ("", 1, .null), ("", 3, .null)]] {
            var machine = machine()
            XCTAssertEqual(names(machine.didFetchAll(fetched(machine, repeated))).count, repeated.count)
            XCTAssertEqual(machine.unfollowedReason, .repeatedRow)
        }
    }

    func testAMissingRowIDIsDoubtful() {
        var machine = machine()
        var fetched = machine.rows
        withCells([.null, .integer(1)]) { fetched.append("A", cells: $0) }
        let outcome = machine.didFetchAll(fetched)
        XCTAssertEqual(names(outcome), ["A"])
        XCTAssertEqual(machine.unfollowedReason, .sortKey(.missingRowID))
    }

    func testDoubtfulRowsLeadToFullFetches() {
        var machine = started()
        let long = ModelValue.text(Array(repeating: 1, count: SortKeyEncoder.lengthLimit + 1))
        let doubtful: [Row] = [("Barbara", 2, .integer(1)), ("Long", 1, long)]
        _ = machine.didRequestFetch(changes(1))
        guard case .fetchAll(let reason) = machine.didFetch(fetched(machine, [doubtful[1]])) else {
            return XCTFail("the row was used")
        }
        XCTAssertEqual(reason, .notFollowed(.sortKey(.tooLong)))
        XCTAssertEqual(list(machine).map(Array.init), ["Barbara", "Arthur", "Craig"])
        let unfollowed = ["Barbara", "Long"]
        XCTAssertEqual(names(machine.didFetchAll(unordered(machine, unfollowed))), unfollowed)
        XCTAssertEqual(machine.didRequestFetch(changes(1)), .all(.notFollowed(.sortKey(.tooLong))))
        assertUnchanged(machine.didFetchAll(unordered(machine, unfollowed)))
    }

    func testUnsupportedStatementsAreNotFollowed() {
        var machine = ListMachine(notFollowed: "it has GROUP BY", traits: ElementTraits<String>())
        XCTAssertEqual(machine.didRequestFetch(nil), .all(.first))
        XCTAssertEqual(names(machine.didFetchAll(unordered(machine, ["A"]))), ["A"])
        // Elements that cannot be compared may have changed.
        XCTAssertEqual(names(machine.didFetchAll(unordered(machine, ["A"]))), ["A"])
        XCTAssertEqual(
            machine.didRequestFetch(changes(1)), .all(.notFollowed(.statement("it has GROUP BY"))))
    }

    // MARK: Memory

    /// An element whose instances are counted.
    private final class Counted: Sendable {
        static let count = Atomic<Int>(0)

        init() { Self.count.add(1, ordering: .relaxed) }

        deinit { Self.count.subtract(1, ordering: .relaxed) }
    }

    func testAListReleasesItsElementsOnce() {
        func fetched(_ machine: ListMachine, count: Int64) -> FetchedRows {
            var fetched = machine.rows
            // Rows with equal scores in any order, which the list brings into its own.
            for id in (1...count).reversed() {
                withCells([.integer(id), .integer(1)]) { fetched.append(Counted(), cells: $0) }
            }
            return fetched
        }
        let shape = ListShape(sources: [.init(player)], terms: [SortTerm()])
        let tracking = ListTracking(shape: shape, followed: [0], watched: [])
        for traits in [ElementTraits<Counted>(), ElementTraits<Counted>(areEqual: { $0 === $1 })] {
            var machine = ListMachine(tracking, traits: traits)
            _ = machine.didFetchAll(fetched(machine, count: 100))
            XCTAssertEqual(Counted.count.load(ordering: .relaxed), 100)
            // Every row is replaced, and some are removed.
            _ = machine.didFetchAll(fetched(machine, count: 60))
            XCTAssertEqual(Counted.count.load(ordering: .relaxed), 60)
            machine = ListMachine(notFollowed: "it has GROUP BY", traits: traits)
            XCTAssertEqual(Counted.count.load(ordering: .relaxed), 0)
            var unordered = machine.rows
            for _ in 1...40 { unordered.append(Counted()) }
            _ = machine.didFetchAll(unordered)
            XCTAssertEqual(Counted.count.load(ordering: .relaxed), 40)
        }
        XCTAssertEqual(Counted.count.load(ordering: .relaxed), 0)
    }

    // MARK: Other events

    func testAnExpensiveSourceIsWatched() {
        var machine = started()
        _ = machine.didFetchAll(fetched(machine, rows), cost: 8_000)
        for (cost, expected) in [(2_000, ListFetch.rows([[1]])), (2_001, .all(.watchedTables))] {
            _ = machine.didRequestFetch(changes(1))
            _ = machine.didFetch(fetched(machine, [rows[1]]), costs: [cost])
            XCTAssertEqual(machine.didRequestFetch(changes(1)), expected)
        }
        XCTAssertEqual(machine.expensiveSources, [0])
        XCTAssertNil(machine.unfollowedReason)
        var changed = rows
        changed.removeLast()
        XCTAssertEqual(names(machine.didFetchAll(fetched(machine, changed))), ["Barbara", "Arthur"])
    }

    func testManyRowsAreExpensiveIfAFewOfThemAre() {
        let ids = Array(1...Int64(ListMachine.leastRowLimit))
        for (cost, isExpensive) in [(4_000, false), (4_002, true)] {
            var machine = started()
            _ = machine.didFetchAll(fetched(machine, rows), cost: 8_000)
            _ = machine.didRequestFetch(changes(ids))
            machine.didLookUp(ids.count * 2, of: 0, cost: cost)
            XCTAssertEqual(machine.expensiveSources, isExpensive ? [0] : [], "\(cost)")
        }
    }

    func testLowCostsAreNeverTooMuch() {
        var machine = started()
        _ = machine.didFetchAll(fetched(machine, rows), cost: 10)
        _ = machine.didRequestFetch(changes(1))
        _ = machine.didFetch(fetched(machine, [rows[1]]), costs: [ListMachine.leastCost])
        XCTAssertEqual(machine.didRequestFetch(changes(1)), .rows([[1]]))
    }

    func testANewPlanNeedsAFullFetch() throws {
        var machine = started()
        let old = try XCTUnwrap(list(machine))
        let shape = ListShape(sources: [.init(player)], terms: [SortTerm(isDescending: true)])
        machine.didChangePlan(ListTracking(shape: shape, followed: [0]))
        XCTAssertEqual(machine.didRequestFetch(changes(1)), .all(.newPlan))
        XCTAssertEqual(
            names(machine.didFetchAll(fetched(machine, rows.reversed()))), ["Craig", "Arthur", "Barbara"])
        XCTAssertEqual(machine.didRequestFetch(changes(1)), .rows([[1]]))
        let list = try XCTUnwrap(list(machine))
        XCTAssertEqual(
            Array(old).applying(list.changes(since: old).difference(from: old, to: list)), Array(list))
        machine.didChangePlan(nil, notFollowed: "it has DISTINCT")
        XCTAssertEqual(machine.unfollowedReason, .statement("it has DISTINCT"))
    }

    func testAnEqualPlanKeepsEqualRows() {
        var machine = started()
        machine.didChangePlan(
            ListTracking(shape: ListShape(sources: [.init(player)], terms: [SortTerm()]), followed: [0]))
        XCTAssertEqual(machine.didRequestFetch(ChangeSet()), .all(.newPlan))
        assertUnchanged(machine.didFetchAll(fetched(machine, rows)))
        XCTAssertEqual(machine.didRequestFetch(changes(1)), .rows([[1]]))
    }

    func testANewPlanWithoutRowsEmptiesTheList() {
        var machine = started()
        machine.didChangePlan(
            ListTracking(shape: ListShape(sources: [.init(team)], terms: [SortTerm()]), followed: [0]))
        XCTAssertEqual(names(machine.didFetchAll(fetched(machine, []))), [])
    }

    func testACopyContinuesOnItsOwn() {
        var machine = started()
        var copy = machine
        _ = copy.didRequestFetch(changes(1))
        XCTAssertEqual(names(copy.didFetch(fetched(copy, []))), ["Barbara", "Craig"])
        XCTAssertEqual(machine.didRequestFetch(changes(2)), .rows([[2]]))
        XCTAssertEqual(names(machine.didFetch(fetched(machine, []))), ["Arthur", "Craig"])
        let (one, two) = (list(machine) ?? ObservedList(), list(copy) ?? ObservedList())
        XCTAssertEqual(
            Array(one).applying(two.changes(since: one).difference(from: one, to: two)), Array(two))
    }
}
