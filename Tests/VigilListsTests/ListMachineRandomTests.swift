import VigilLists
import VigilRegions
import VigilStorage
import VigilTestSupport
import XCTest

/// Compares lists, their versions and differences with a model that computes each list as a whole.
final class ListMachineRandomTests: XCTestCase {
    func testListsOfFewRows() throws {
        try run(rounds: RandomTestSettings.rounds(4), steps: 50, rowIDs: 0..<14)
    }

    func testListsOfManyRows() throws {
        try run(
            rounds: RandomTestSettings.rounds(2), steps: 20, rowIDs: -400..<700,
            queries: [.players, .playersWithTeam])
    }

    /// Changes after which many rows are looked up, of which some keep their place.
    func testChangesOfManyRows() throws {
        try run(
            rounds: 2, steps: RandomTestSettings.rounds(10), rowIDs: -400..<700, changeCount: 20...100,
            queries: [.players, .playersWithTeam])
    }

    /// Trees of several levels, of which each change inserts, removes or moves few entries.
    func testSingleChanges() throws {
        try run(
            rounds: RandomTestSettings.rounds(3), steps: 60, rowIDs: 0..<120, changeCount: 1...1,
            queries: [.players, .playersWithTeam, .playersWithOptionalTeam])
    }

    func testWindows() throws {
        let refills = try run(
            rounds: RandomTestSettings.rounds(12), steps: 60, rowIDs: 0..<200, changeCount: 1...16,
            queries: [.players, .playersWithTeam, .playersWithOptionalTeam], showsWindows: true,
            leastRefills: 4)
        XCTAssertGreaterThanOrEqual(refills, 4)
    }

    func testWindowsOfManyRows() throws {
        try run(
            rounds: RandomTestSettings.rounds(2), steps: 30, rowIDs: -400..<700, changeCount: 1...20,
            queries: [.players, .playersWithTeam], showsWindows: true)
    }

    /// Returns the number of windows that were filled again. Runs up to 30 more rounds until it reaches
    /// `leastRefills`, because there are few with some seeds.
    @discardableResult
    private func run(
        rounds: Int, steps: Int, rowIDs: Range<Int64>, changeCount: ClosedRange<Int> = 1...3,
        queries: [ListModel.Query] = ListModel.Query.allCases, showsWindows: Bool = false,
        leastRefills: Int = 0
    ) throws -> Int {
        var random = SeededRandom.seeded()
        print("seed of \(name): VIGIL_SEED=\(random.seed)")
        var moves = 0
        var rowFetches = 0
        var refills = 0
        for round in 0..<rounds + 30 where round < rounds || refills < leastRefills {
            let query = queries[round % queries.count]
            let window =
                showsWindows
                ? WindowRange(
                    offset: random.pick([0, 0, 1, 7, 40]), limit: random.pick([0, 1, 5, 20, 60, nil])) : nil
            var world = ListWorld(
                query, window: window, comparesElements: round % 3 != 0, SeededRandom(seed: random.next()))
            world.rowIDs = rowIDs
            world.changeCount = changeCount
            for step in 0..<steps {
                if let complaint = world.step() {
                    XCTFail(
                        "\(complaint), \(query), round \(round), step \(step), VIGIL_SEED=\(random.seed)")
                    return refills
                }
            }
            if let complaint = world.checkVersions() {
                XCTFail("\(complaint), \(query), round \(round), VIGIL_SEED=\(random.seed)")
                return refills
            }
            moves += world.moveCount
            rowFetches += world.rowFetchCount
            refills += world.refillCount
        }
        // Each round has a random order. In two of three rounds, no row ever moves.
        if rounds >= 48 { XCTAssertGreaterThan(moves, rounds) }
        // More than half of the steps look up rows. With few steps, chance can decide otherwise.
        let stepCount = rounds * steps
        XCTAssertGreaterThan(rowFetches, stepCount < 100 ? 0 : stepCount / 4)
        return refills
    }
}

private struct ListWorld {
    var rowIDs: Range<Int64> = 0..<14
    var changeCount = 1...3
    private var model: ListModel
    private var machine: ListMachine
    private var random: SeededRandom
    private let comparesElements: Bool
    /// All versions, with the rows that they must have.
    private var versions: [(list: ObservedList<ModelElement>, rows: [ModelRow])] = []
    private(set) var moveCount = 0
    private(set) var rowFetchCount = 0
    /// The number of windows fetched again because too few or too many rows were kept.
    private(set) var refillCount = 0
    /// The cost of fetching all rows; `nil` if the database does not count it.
    private let cost: Int?

    init(
        _ query: ListModel.Query, window: WindowRange?, comparesElements: Bool, _ random: SeededRandom
    ) {
        var random = random
        model = ListModel(query, window: window, &random)
        cost = window == nil ? nil : random.pick([nil, 2_000, 1_000_000])
        self.comparesElements = comparesElements
        machine = ListMachine(
            model.tracking,
            traits: comparesElements
                ? ElementTraits(comparing: ModelElement.self) : ElementTraits<ModelElement>())
        self.random = random
    }

    /// Changes rows, updates the list, and returns what is wrong with it.
    mutating func step() -> String? {
        let many = random.once(in: 12) || versions.isEmpty
        let count = many ? rowIDs.count * 2 : Int.random(in: changeCount, using: &random)
        var changes: ChangeSet? =
            model.window != nil && random.once(in: 4)
            ? model.removeFirst(Int.random(in: 1...14, using: &random))
            : model.change(count, rowIDs: rowIDs, &random)
        // Also with rows that did not change.
        if random.once(in: 6) { changes?.formUnion(model.change(0, rowIDs: rowIDs, &random)) }
        if random.once(in: 10) { changes = nil }
        let rows = model.shownRows()
        var fetched = machine.rows
        var outcome: ListOutcome
        switch machine.didRequestFetch(changes) {
        case .none: outcome = .unchanged
        case .rows(let ids):
            rowFetchCount += 1
            fetched.append(model.fetchedRows(ids, &random))
            outcome = machine.didFetch(fetched)
        case .all:
            fetched.append(model.fetchedRows(first: machine.fetchCount, &random))
            outcome = machine.didFetchAll(fetched, cost: cost)
        }
        if case .fetchAll(let reason) = outcome, [.shortWindow, .longWindow].contains(reason) {
            refillCount += 1
            var fetched = machine.rows
            fetched.append(model.fetchedRows(first: machine.fetchCount, &random))
            outcome = machine.didFetchAll(fetched, cost: cost)
        }
        if let reason = machine.unfollowedReason { return "not followed: \(reason)" }
        guard case .fetchAll(let reason) = outcome else { return check(outcome, rows) }
        return "fetched again: \(reason)"
    }

    private mutating func check(_ outcome: ListOutcome, _ rows: [ModelRow]) -> String? {
        guard let version = machine.version else { return "no list" }
        let list = ObservedList<ModelElement>(version)
        if let violation = list.violation() { return violation }
        if Array(list) != rows.map(\.element) { return "\(Array(list)) instead of \(rows)" }
        switch outcome {
        case .list(let new):
            if new !== version { return "another list" }
            if comparesElements, let last = versions.last, last.rows.map(\.element) == rows.map(\.element),
                last.rows.map(\.rowIDs) == rows.map(\.rowIDs), last.rows.map(\.terms) == rows.map(\.terms)
            {
                return "an equal version"
            }
        case .unchanged:
            if versions.last?.rows.map(\.element) != rows.map(\.element) { return "no new version" }
            return nil
        case .fetchAll: return "unexpected"
        }
        versions.append((list, rows))
        guard versions.count > 1 else { return nil }
        let older =
            random.once(in: 2) ? versions.count - 2 : Int.random(in: 0..<versions.count, using: &random)
        return checkChange(from: older, to: versions.count - 1)
            ?? checkChange(from: versions.count - 1, to: older)
    }

    private mutating func checkChange(from a: Int, to b: Int) -> String? {
        let (old, new) = (versions[a], versions[b])
        let change = new.list.changes(since: old.list)
        moveCount += change.moved.count
        if let complaint = complaint(
            about: change, from: old.rows, to: new.rows, model.shape.terms, comparesElements: comparesElements
        ) {
            return "\(change) from \(old.rows) to \(new.rows): \(complaint)"
        }
        let difference = change.difference(from: old.list, to: new.list)
        if Array(old.list).applying(difference) != Array(new.list) { return "\(difference)" }
        if (old.list == new.list) != (Array(old.list) == Array(new.list)) { return "wrong equality" }
        return nil
    }

    /// Returns which version is not as it was.
    func checkVersions() -> String? {
        for (number, version) in versions.enumerated() {
            if Array(version.list) != version.rows.map(\.element) { return "version \(number) changed" }
            for index in version.list.indices where version.list[index] != version.rows[index].element {
                return "element \(index) of version \(number)"
            }
            let identities = Set(version.list.indices.map { version.list.identity(at: $0) })
            if identities.count != version.rows.count { return "identities of version \(number)" }
        }
        return nil
    }
}
