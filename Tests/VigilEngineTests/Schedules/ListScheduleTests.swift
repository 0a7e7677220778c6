import VigilRegions
import VigilStorage
import XCTest

@testable import VigilEngine

/// Tests the commits that fetches of lists read from the ledger, in all orders of the steps of a writer and a
/// reader.
final class ListScheduleTests: XCTestCase {
    /// Whether the reader fetches while the writer fetches each commit, too.
    private let settings = [false, true]

    func testEachListEqualsItsSnapshot() {
        for fetchesEachCommit in settings {
            let result = exploration(fetchesEachCommit, nil)
            XCTAssertNil(result.failure)
            XCTAssertGreaterThan(result.schedules, 10_000)
            print("\(name): \(result.schedules) schedules")
        }
    }

    func testPlantedBugsAreFound() {
        for bug in ListScheduleWorld.PlantedBug.allCases {
            let failures = settings.compactMap { exploration($0, bug).failure }
            XCTAssertFalse(failures.isEmpty, "\(bug) is not found")
            print("\(bug): \(failures.first ?? "not found")")
        }
    }

    /// Runs all schedules until one of them fails.
    private func exploration(
        _ fetchesEachCommit: Bool, _ bug: ListScheduleWorld.PlantedBug?
    ) -> (schedules: Int, failure: String?) {
        let lengths = ListScheduleWorld(fetchesEachCommit, bug).lengths
        var count = 0
        func explore(_ schedule: [Bool], _ writer: Int, _ reader: Int) -> String? {
            if writer == 0, reader == 0 {
                count += 1
                return ListScheduleWorld(fetchesEachCommit, bug).run(schedule)
            }
            if writer > 0, let failure = explore(schedule + [true], writer - 1, reader) { return failure }
            return reader > 0 ? explore(schedule + [false], writer, reader - 1) : nil
        }
        let failure = explore([], lengths.writer, lengths.reader)
        return (count, failure)
    }
}

/// A table of two rows, a writer, and a list of the rows whose fetches use the ledger as `ListFetcher` does.
private final class ListScheduleWorld {
    enum PlantedBug: CaseIterable {
        /// The changes of a transaction are not announced before they become visible.
        case noAnnouncement
        /// The changes are read before the snapshot is taken.
        case changesBeforeSnapshot
        /// A list counts as that of the last commit when its fetch ends.
        case baseTooNew
        /// A fetch of an older commit than the list's does not replace the rows that changed since.
        case newerRowsKept
    }

    private typealias Rows = [Int64: Int]

    private struct List {
        var rows: Rows
        var base: CommitNumber
    }

    /// A fetch in progress.
    private struct Fetch {
        var commit: CommitNumber
        var snapshot: Rows = [:]
        var changes: ChangeSet?
        var list: List?
    }

    private let bug: PlantedBug?
    private let ledger = CommitLedger()
    private let table = TableName(name: "player")
    /// The rows that other connections read.
    private var visible: Rows = [1: 0, 2: 0]
    private var number = 0
    private var open = ChangeSet()
    private var uncommitted: Rows = [:]
    private var list: List
    private var fetch: Fetch?
    private var failure: String?
    private var writerSteps: [() -> Void] = []
    private var readerSteps: [() -> Void] = []

    init(_ fetchesEachCommit: Bool, _ bug: PlantedBug?) {
        self.bug = bug
        list = List(rows: visible, base: ledger.last)
        ledger.didStartList()
        let commit: [(ListScheduleWorld) -> () -> Void] =
            [ListScheduleWorld.show, ListScheduleWorld.append]
            + (fetchesEachCommit ? [ListScheduleWorld.fetchCommit] : [])
        let rollback: [(ListScheduleWorld) -> () -> Void] =
            fetchesEachCommit ? [] : [{ world in { world.announce(row: 1) } }, ListScheduleWorld.rollBack]
        let steps: [(ListScheduleWorld) -> () -> Void] =
            [{ world in { world.announce(row: 1) } }] + commit + rollback
            + [{ world in { world.announce(row: 2) } }] + commit
        writerSteps = steps.map { step in { [unowned self] in step(self)() } }
        let fetch: [(ListScheduleWorld) -> () -> Void] =
            bug == .changesBeforeSnapshot
            ? [ListScheduleWorld.begin, ListScheduleWorld.readChanges, ListScheduleWorld.takeSnapshot]
            : [ListScheduleWorld.begin, ListScheduleWorld.takeSnapshot, ListScheduleWorld.readChanges]
        readerSteps = (fetch + [ListScheduleWorld.end] + fetch + [ListScheduleWorld.end]).map { step in
            { [unowned self] in step(self)() }
        }
    }

    var lengths: (writer: Int, reader: Int) { (writerSteps.count, readerSteps.count) }

    /// Runs the steps in an order, which names the writer with `true`, and returns what is wrong.
    func run(_ schedule: [Bool]) -> String? {
        var (writer, reader) = (0, 0)
        for isWriter in schedule {
            if isWriter {
                writerSteps[writer]()
                writer += 1
            } else {
                readerSteps[reader]()
                reader += 1
            }
        }
        return failure.map { "\($0), after \(schedule.map { $0 ? "w" : "r" }.joined())" }
    }

    // MARK: - Writer

    private func announce(row: Int64) {
        number += 1
        uncommitted = [row: number]
        open = ChangeSet()
        open.record(
            RowChangeSummary(table: table, kind: .update, oldKey: .integer(row), newKey: .integer(row)),
            rowLimit: 100)
        if bug != .noAnnouncement { ledger.announce(open) }
    }

    private func show() { visible.merge(uncommitted) { $1 } }

    private func append() { _ = ledger.append(open) }

    private func rollBack() { ledger.withdrawAnnouncement() }

    /// Fetches the last commit on the writer, which sees no other one in between.
    private func fetchCommit() {
        var fetch = Fetch(commit: ledger.last, snapshot: visible, list: list)
        fetch.changes = changes(fetch)
        list = fetched(fetch)
    }

    // MARK: - Fetches

    private func begin() { fetch = Fetch(commit: ledger.last) }

    private func takeSnapshot() { fetch?.snapshot = visible }

    private func readChanges() {
        guard var fetch else { return }
        fetch.list = list
        fetch.changes = changes(fetch)
        self.fetch = fetch
    }

    private func end() {
        guard let fetch else { return }
        list = fetched(fetch)
    }

    private func changes(_ fetch: Fetch) -> ChangeSet? {
        let base = fetch.list?.base ?? list.base
        return ledger.changes(after: bug == .newerRowsKept ? base : min(base, fetch.commit))
    }

    private func fetched(_ fetch: Fetch) -> List {
        let changed = fetch.changes?[table]?.rowIDs
        var rows = fetch.changes == nil ? fetch.snapshot : fetch.list?.rows ?? [:]
        for row in changed ?? [] { rows[row] = fetch.snapshot[row] }
        if rows != fetch.snapshot, failure == nil { failure = "\(rows) instead of \(fetch.snapshot)" }
        return List(rows: rows, base: bug == .baseTooNew ? ledger.last : fetch.commit)
    }
}
