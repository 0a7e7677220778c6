import VigilLists
import VigilRegions
import VigilTestSupport
import XCTest

/// Compares lists, their versions and differences with a model that computes each list as a whole.
final class ListMachineRandomTests: XCTestCase {
    func testListsOfFewRows() throws {
        try run(rounds: RandomTestSettings.rounds(10), steps: 50, rowIDs: 0..<14)
    }

    func testListsOfManyRows() throws {
        try run(
            rounds: RandomTestSettings.rounds(2), steps: 20, rowIDs: -400..<700,
            queries: [.players, .playersWithTeam])
    }

    /// Changes after which many rows are looked up, of which some keep their place.
    func testChangesOfManyRows() throws {
        try run(
            rounds: 2, steps: RandomTestSettings.rounds(20), rowIDs: -400..<700, changeCount: 20...100,
            queries: [.players, .playersWithTeam])
    }

    /// Trees of several levels, of which each change inserts, removes or moves few entries.
    func testSingleChanges() throws {
        try run(
            rounds: RandomTestSettings.rounds(3), steps: 60, rowIDs: 0..<120, changeCount: 1...1,
            queries: [.players, .playersWithTeam, .playersWithOptionalTeam])
    }

    private func run(
        rounds: Int, steps: Int, rowIDs: Range<Int64>, changeCount: ClosedRange<Int> = 1...3,
        queries: [ListModel.Query] = ListModel.Query.allCases
    ) throws {
        var random = SeededRandom.seeded()
        print("seed of \(name): VIGIL_SEED=\(random.seed)")
        var moves = 0
        var rowFetches = 0
        for round in 0..<rounds {
            let query = queries[round % queries.count]
            var world = ListWorld(query, comparesElements: round % 3 != 0, SeededRandom(seed: random.next()))
            world.rowIDs = rowIDs
            world.changeCount = changeCount
            for step in 0..<steps {
                if let complaint = world.step() {
                    return XCTFail(
                        "\(complaint), \(query), round \(round), step \(step), VIGIL_SEED=\(random.seed)")
                }
            }
            if let complaint = world.checkVersions() {
                return XCTFail("\(complaint), \(query), round \(round), VIGIL_SEED=\(random.seed)")
            }
            moves += world.moveCount
            rowFetches += world.rowFetchCount
        }
        // Each round has a random order. In a few rounds, no value of the order ever changes.
        if rounds >= 12 { XCTAssertGreaterThan(moves, rounds) }
        XCTAssertGreaterThan(rowFetches, rounds * steps / 4)
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

    init(_ query: ListModel.Query, comparesElements: Bool, _ random: SeededRandom) {
        var random = random
        model = ListModel(query, &random)
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
        var changes: ChangeSet? = model.change(count, rowIDs: rowIDs, &random)
        // Also with rows that did not change.
        if random.once(in: 6) { changes = changes?.union(model.change(0, rowIDs: rowIDs, &random)) }
        if random.once(in: 10) { changes = nil }
        let rows = model.rows()
        var fetched = machine.rows
        let outcome: ListOutcome
        switch machine.didRequestFetch(changes) {
        case .none: outcome = .unchanged
        case .rows(let ids):
            rowFetchCount += 1
            fetched.append(model.fetchedRows(ids, &random))
            outcome = machine.didFetch(fetched)
        case .all:
            fetched.append(model.fetchedRows(&random))
            outcome = machine.didFetchAll(fetched)
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
