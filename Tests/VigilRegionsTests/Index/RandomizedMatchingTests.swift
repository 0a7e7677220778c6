import VigilRegions
import VigilStorage
import VigilTestSupport
import XCTest

/// Compares the index and the collector of changes with a loop over all regions.
final class RandomizedMatchingTests: XCTestCase {
    func testTheIndexMatchesTheSameObserversAsALoopOverAllRegions() {
        var random = SeededRandom.seeded()
        print("seed of \(name): VIGIL_SEED=\(random.seed)")
        for _ in 0..<RandomTestSettings.rounds(2) {
            var world = RandomWorld(
                random: SeededRandom(seed: random.next()), observerLimit: random.pick([2, 4, 40]),
                rowLimit: random.pick([0, 1, 3]))
            for step in 0..<3_000 {
                if let complaint = world.step() {
                    XCTFail("\(complaint) at step \(step), VIGIL_SEED=\(random.seed)")
                    return
                }
            }
            XCTAssertGreaterThan(world.matchCount, 0)
            XCTAssertGreaterThan(world.undoneCount, 0)
            XCTAssertGreaterThan(world.sparedCount, 0)
        }
    }
}

private struct RandomWorld {
    private static let tables = ["foo", "bar", "baz"]
    /// The columns in row images.
    private static let columns = ["a", "b", "c"]
    private static let rowIDs: [Int64] = [0, 1, 2, 3]

    private var random: SeededRandom
    private var recorder = Recorder()
    private var observers: [Int: NaiveRegion] = [:]
    private var lastObserver = 0
    private let observerLimit: Int
    /// The columns that the running statement assigns to.
    private var assigned: [String: Set<String>] = [:]
    /// For the transaction and each open savepoint, the events with the observers that each of them matches.
    private var levels: [(name: String, events: [(event: NaiveEvent, matched: Set<Int>)])] = [("", [])]
    /// A region and an event on which the region and its naive implementation disagree.
    private var disagreement: String?
    private(set) var matchCount = 0
    private(set) var sparedCount = 0
    private(set) var undoneCount = 0

    init(random: SeededRandom, observerLimit: Int, rowLimit: Int) {
        self.random = random
        self.observerLimit = observerLimit
        recorder.changes = TransactionChanges(rowLimit: rowLimit)
    }

    /// Performs a random operation.
    ///
    /// - Returns: the description of a failure; `nil` for a success.
    mutating func step() -> String? {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<65: record()
        case 65..<72: beginStatement()
        case 72..<77: changeObservers()
        case 77..<82: beginSavepoint()
        case 82..<86: release()
        case 86..<91: rollbackToSavepoint()
        case 91..<93: rollback()
        default: return commit()
        }
        return disagreement ?? complaintAboutWaiting()
    }

    private mutating func complaintAboutWaiting() -> String? {
        let match = levels.flatMap(\.events).reduce(into: Set<Int>()) { $0.formUnion($1.matched) }
        let table = random.pick(Self.tables)
        let isExpected = observers.contains { !match.contains($0.key) && $0.value.names(table) }
        guard recorder.index.hasArmedObservers(of: TableName(name: table)) != isExpected else {
            return nil
        }
        return isExpected ? "no observer is armed for \(table)" : "an observer is still armed for \(table)"
    }

    // MARK: Observers

    private mutating func changeObservers() {
        let known = observers.keys.sorted()
        if !known.isEmpty, random.once(in: 2) {
            let observer = random.pick(known)
            if random.once(in: 2) || observers.count > observerLimit {
                observers[observer] = nil
                recorder.index.remove(ObserverID(observer))
            } else {
                let region = randomRegion()
                observers[observer] = region
                recorder.index.replaceRegion(of: ObserverID(observer), with: region.region)
            }
        } else {
            lastObserver += 1
            let region = randomRegion()
            observers[lastObserver] = region
            recorder.index.insert(ObserverID(lastObserver), region: region.region)
        }
    }

    private mutating func randomRegion() -> NaiveRegion {
        if random.once(in: 40) { return .full }
        var tables: [String: NaivePart] = [:]
        for table in random.some(Self.tables).sorted() {
            let columns = random.some(Self.columns + ["virtual", "ROWID"])
            let rowIDs = random.some(Self.rowIDs)
            var part = NaivePart()
            if random.once(in: 6) {
                part.countsRows = true
            } else if !random.once(in: 2), !columns.isEmpty {
                part.columns = columns
            }
            if random.once(in: 3), !rowIDs.isEmpty { part.rowIDs = rowIDs }
            if !random.once(in: 3) {
                part.conjunctions = RandomPredicates.conjunctions(
                    Self.columns + (random.once(in: 4) ? ["virtual"] : []), Self.rowIDs, &random)
            }
            tables[table] = part
        }
        return .tables(tables)
    }

    // MARK: Events

    private mutating func beginStatement() {
        assigned = [:]
        var access = StatementAccess()
        for table in random.some(Self.tables).sorted() {
            var columns = random.some(Self.columns)
            guard !columns.isEmpty else { continue }
            columns.insert("virtual")  // It depends on all columns, so each assignment includes it.
            assigned[table] = columns
            access.writes.append(.update(table.uppercased(), columns))
        }
        recorder.changes.beginStatement(access: access)
    }

    private mutating func record() {
        recorder.ignoresNoOpUpdates = !random.once(in: 4)
        let table = random.pick(Self.tables)
        if random.once(in: 60) {
            add(.table(table), as: .table(TableName(name: table)))
        } else if random.once(in: 100) {
            add(.database, as: .database)
        } else {
            recordRow(table)
        }
    }

    private mutating func recordRow(_ table: String) {
        let kind = random.pick([RowChange.Kind.insert, .update, .update, .update, .delete])
        let key = randomKey()
        let newKey = random.once(in: 5) ? randomKey() : key
        var row = NaiveRow(
            table: table, kind: kind, oldKey: kind == .insert ? nil : key,
            newKey: kind == .delete ? nil : newKey, changed: assigned[table])
        row.ignoresNoOps = recorder.ignoresNoOpUpdates
        let images = random.once(in: 4) ? nil : makeImages(of: &row)
        if row.isMoved { row.changed?.insert("ROWID") }
        add(
            .row(row),
            as: .row(
                RowChange(
                    table: TableName(name: table), kind: kind, oldKey: row.oldKey,
                    newKey: row.newKey, images: images)), images)
    }

    private mutating func makeImages(of row: inout NaiveRow) -> FakeImages {
        let columns = random.once(in: 10) ? Array(Self.columns.reversed()) : Self.columns
        let candidates = columns.filter { assigned[row.table]?.contains($0) ?? true }
        var missing: Set<String> = random.once(in: 10) ? [random.pick(columns)] : []
        // Only assigned columns are missing. An unknown value of another column counts as changed for armed
        // observers, but as unchanged in the change set if no observer is armed.
        if row.kind == .update { missing.formIntersection(candidates) }
        let old = columns.map { _ in RandomPredicates.value(&random) }
        var new = columns.map { _ in RandomPredicates.value(&random) }
        if row.kind == .update {
            let changed = random.once(in: 3) ? [] : random.some(candidates)
            for index in columns.indices where !changed.contains(columns[index]) { new[index] = old[index] }
        }
        func known(_ values: [StorageValue]) -> NaivePredicates.Values {
            Dictionary(uniqueKeysWithValues: zip(columns, values)).filter { !missing.contains($0.key) }
        }
        if row.kind != .insert { row.oldValues = known(old) }
        if row.kind != .delete { row.newValues = known(new) }
        if row.kind == .update, row.ignoresNoOps {
            let differing = columns.indices.filter { !NaivePredicates.isIdentical(old[$0], new[$0]) }
            row.changed = Set(differing.map { columns[$0] }).union(missing)
            if row.changed != [] || row.isMoved { row.changed?.insert("virtual") }
        }
        return FakeImages(
            columns, old: row.kind == .insert ? nil : old, new: row.kind == .delete ? nil : new,
            missing: missing)
    }

    private mutating func randomKey() -> RowKey {
        if random.once(in: 30) { return .unknown }
        if random.once(in: 30) { return .values([.integer(random.pick(Self.rowIDs))]) }
        return .integer(random.pick(Self.rowIDs))
    }

    private mutating func add(
        _ event: NaiveEvent, as change: ChangeEvent, _ images: FakeImages? = nil
    ) {
        recorder.record(change)
        if case .row(let row) = event, random.once(in: 8) {
            for observer in observers.values
            where observer.region.isModified(by: row.summary, images: images) != observer.isMatched(by: event)
            {
                disagreement = "\(observer.region.debugDescription) and \(row)"
            }
        }
        let matched = observers.filter { $0.value.isMatched(by: event) }.keys
        levels[levels.count - 1].events.append((event, Set(matched)))
    }

    // MARK: Transactions

    private mutating func beginSavepoint() {
        guard levels.count < 6 else { return }
        let name = random.pick(["s", "t"])
        levels.append((name, []))
        recorder.changes.didBeginSavepoint(random.once(in: 2) ? name : name.uppercased())
    }

    private mutating func release() {
        let name = random.pick(["s", "t"])
        recorder.changes.didRelease(name)
        guard let level = levels.lastIndex(where: { $0.name == name }) else { return }
        levels[level - 1].events += levels[level...].flatMap(\.events)
        levels.removeSubrange(level...)
    }

    private mutating func rollbackToSavepoint() {
        let name = random.pick(["s", "t"])
        recorder.rollback(to: name)
        guard let level = levels.lastIndex(where: { $0.name == name }) else { return }
        undoneCount += levels[level...].reduce(0) { $0 + $1.events.count }
        levels.removeSubrange((level + 1)...)
        levels[level].events = []
    }

    private mutating func rollback() {
        recorder.changes.reset(in: &recorder.index)
        endTransaction()
    }

    private mutating func endTransaction() {
        levels = [("", [])]
        assigned = [:]
    }

    private mutating func commit() -> String? {
        let events = levels.flatMap(\.events)
        let expected = events.reduce(into: Set<Int>()) { $0.formUnion($1.matched) }
            .intersection(observers.keys)
        let (matches, changes) = recorder.changes.finish(in: &recorder.index)
        endTransaction()
        matchCount += matches.count
        if matches.map(\.observer.rawValue).sorted() != expected.sorted() {
            return "hit \(matches), expected \(expected.sorted())"
        }
        return complaint(about: changes, of: events.map(\.event))
    }

    /// Checks the change set, which may be coarser than the changes, but must not omit any, nor add tables.
    private mutating func complaint(about changes: ChangeSet, of events: [NaiveEvent]) -> String? {
        let changedTables = Set(events.compactMap(\.table))
        let isCoarse = events.contains { if case .database = $0 { true } else { false } }
        for naive in observers.values {
            let region = naive.region
            let isModified = region.isModified(by: changes)
            let isMatched = events.contains(where: naive.isMatched)
            if isMatched, !isModified { return "the change set misses \(region.debugDescription)" }
            if !isModified, !changedTables.isDisjoint(with: region.tables.map(\.table.name)) {
                sparedCount += 1
            }
            if isModified, !isCoarse, !region.isFullDatabase,
                changedTables.isDisjoint(with: region.tables.map(\.table.name))
            {
                return "the change set includes unchanged tables of \(region)"
            }
        }
        return nil
    }
}
