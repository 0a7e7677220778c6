import BenchmarkReport
import BenchmarkWork
import Dispatch
import Synchronization

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    /// Measures writes to a list of joined rows: to a row of one table, and to one of the other table, which
    /// 100 rows of the list contain.
    func listJoin(_ request: RoundRequest) throws -> RoundResult {
        func round(_ sql: String, ids: ClosedRange<Int64>) throws -> RoundResult {
            let dbQueue = try listedQueue(request)
            try dbQueue.write { db in try db.execute(sql: Schema.groups(request.n)) }
            let observers = Observers()
            observers.start(library.rows(Schema.selectJoined, [], observers.activity), in: dbQueue)
            try observers.waitForInitialValues()
            return try measureWrites(request, dbQueue, observers, callbacks: 1) { db, number in
                try db.run(sql, number + 1, number * 7_919 % Int64(ids.count) + ids.lowerBound)
            }
        }
        let count = Int64(request.n)
        var result = try round(Schema.renameListed, ids: 1...count)
        let groups = try round(Schema.renameTeam, ids: 0...(count - 1) / 100)
        result.metrics[Metric.joinedWrite] = groups.value
        return result
    }

    /// Measures how long the last of many commits takes to reach the observer of a list.
    func listBurst(_ request: RoundRequest) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let dbPool = try filePool(in: folder)
        try dbPool.write { db in try db.execute(sql: Schema.listed(10_000)) }
        let observers = Observers()
        let ended = DispatchSemaphore(value: 0)
        // The row with id 1 has the score 7,919, and keeps its place.
        let place = try dbPool.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM listed WHERE score < 7919")
        }
        let name = String(request.n)
        let endTime = EndTime()
        observers.start(library.rows(Schema.selectListed, [], observers.activity), in: dbPool) { rows in
            guard rows[place ?? 0].name == name else { return }
            endTime.note()
            ended.signal()
        }
        try observers.waitForInitialValues()
        let start = now()
        for number in 1...Int64(request.n) {
            try dbPool.write { db in try db.run(Schema.renameListed, number, 1) }
        }
        let committed = now()
        guard ended.wait(timeout: .now() + 60) == .success else {
            throw WorkError("the last list was not delivered within 60 seconds")
        }
        try observers.end()
        return RoundResult(
            value: Double(max(0, endTime.nanoseconds - committed)), operations: request.n,
            notifications: observers.activity.counts.notifications - 1,
            metrics: ["ns per commit": Double(committed - start) / Double(request.n)])
    }

    /// Measures the difference between two lists, and reading a list.
    func listDiff(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try listedQueue(request)
        let lists = try versions(dbQueue) { activity in library.rows(Schema.selectListed, [], activity) }
        guard lists.count == 2 else { throw WorkError("\(lists.count) lists instead of two") }
        let (old, new) = (lists[0], lists[1])
        func next(_: Int) throws {
            guard changeCount(from: old, to: new) > 0 else { throw WorkError("no difference") }
        }
        let warmUp = try TimedLoop.warmUp(request.effort, operation: next)
        let loop = try TimedLoop(request.effort, after: warmUp, operation: next)
        let array = Array(new)
        let iteration = Double(iterationTime(new)) / Double(max(1, iterationTime(array)))
        return RoundResult(
            value: loop.nanoseconds, operations: loop.operations,
            metrics: [
                "ns per element by its index": subscriptTime(new),
                "time to iterate, relative to an array": iteration,
            ])
    }

    /// Measures the sections of a list, from the sections of an earlier one, and their difference.
    func sectionDiff(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try listedQueue(request)
        let lists = try versions(dbQueue) { activity in library.rows(Schema.selectListed, [], activity) }
        guard lists.count == 2 else { throw WorkError("\(lists.count) lists instead of two") }
        let old = sections(of: lists[0])
        let new = lists[1]
        func next(_: Int) throws {
            guard sectionChangeCount(from: old, to: new) > 0 else { throw WorkError("no difference") }
        }
        let warmUp = try TimedLoop.warmUp(request.effort, operation: next)
        let loop = try TimedLoop(request.effort, after: warmUp, operation: next)
        return RoundResult(value: loop.nanoseconds, operations: loop.operations)
    }

    /// Returns the first list, and the one after a write.
    private func versions<Reducer: ValueReducer>(
        _ dbQueue: DatabaseQueue, _ observation: (Activity) -> ValueObservation<Reducer>
    ) throws -> [Reducer.Value] where Reducer.Value: Sendable {
        let observers = Observers()
        let lists = Lists<Reducer.Value>()
        observers.start(observation(observers.activity), in: dbQueue) { lists.append($0) }
        try observers.waitForInitialValues()
        try dbQueue.write { db in try db.run(Schema.renameListed, 1, 1) }
        try observers.activity.wait(forNotifications: 2)
        observers.callbacks.sync {}
        try observers.end()
        return lists.all
    }

    /// Measures the memory of a list, and beside it that of an array.
    func listMemory(_ request: RoundRequest) throws -> RoundResult {
        let list = try bytes(request) { activity in library.rows(Schema.selectListed, [], activity) }
        let array = try bytes(request) { activity in
            library.observation { db in try ListedRow.fetchAll(db, sql: Schema.selectListed) }
        }
        return RoundResult(
            value: list, operations: request.n, metrics: [Metric.bytesBesideArray: list - array])
    }

    /// Returns the bytes per row that an observation and its last value have allocated.
    private func bytes<Reducer: ValueReducer>(
        _ request: RoundRequest, _ observation: (Activity) -> ValueObservation<Reducer>
    ) throws -> Double where Reducer.Value: Sendable {
        let dbQueue = try listedQueue(request)
        // The database's own memory must not grow during the measurement.
        try dbQueue.write { db in
            _ = try ListedRow.fetchAll(db, sql: Schema.selectListed)
            try db.run(Schema.renameListed, 0, 1)
        }
        let before = ProcessMemory.allocatedBytes
        let observers = Observers()
        let last = Lists<Reducer.Value>(keepsLast: true)
        observers.start(observation(observers.activity), in: dbQueue) { last.append($0) }
        try observers.waitForInitialValues()
        try dbQueue.write { db in try db.run(Schema.renameListed, 1, 1) }
        try observers.activity.wait(forNotifications: 2)
        observers.activity.waitUntilQuiet()
        observers.callbacks.sync {}
        let bytes = ProcessMemory.allocatedBytes - before
        return try withExtendedLifetime(last) {
            try observers.end()
            return Double(bytes) / Double(request.n)
        }
    }
}

/// Delivered lists.
private final class Lists<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let keepsLast: Bool

    init(keepsLast: Bool = false) { self.keepsLast = keepsLast }

    var all: [Value] { values.withLock { $0 } }

    func append(_ value: Value) {
        values.withLock { values in
            if keepsLast { values = [] }
            values.append(value)
        }
    }
}

/// The time of an event.
private final class EndTime: Sendable {
    private let time = Atomic<Int64>(0)

    var nanoseconds: Int64 { time.load(ordering: .acquiring) }

    func note() { time.store(now(), ordering: .releasing) }
}

/// Returns the median time of reading all elements with an iterator, in nanoseconds.
private func iterationTime<Rows: Sequence<ListedRow>>(_ rows: Rows) -> Int64 {
    var times: [Double] = []
    for _ in 0..<9 {
        let start = now()
        var sum: Int64 = 0
        for row in rows { sum &+= row.score &+ Int64(row.name.utf8.count) }
        precondition(sum != 0)
        times.append(Double(now() - start))
    }
    return Int64(median(times) ?? 0)
}

/// Returns the time of reading an element by its index, in nanoseconds.
private func subscriptTime<Rows: RandomAccessCollection<ListedRow>>(_ rows: Rows) -> Double
where Rows.Index == Int {
    let count = 100_000
    var place = 0
    var sum: Int64 = 0
    let start = now()
    for _ in 0..<count {
        place = (place + 7_919) % rows.count
        sum &+= rows[place].score
    }
    precondition(sum != 0)
    return Double(now() - start) / Double(count)
}

#if GRDB
    private func changeCount(from old: [ListedRow], to new: [ListedRow]) -> Int {
        new.difference(from: old).count
    }

    private func sections(of rows: [ListedRow]) -> [(id: Int64, rows: [ListedRow])] {
        var sections: [(id: Int64, rows: [ListedRow])] = []
        for row in rows {
            let id = row.score / 10_000
            if sections.last?.id != id { sections.append((id, [])) }
            sections[sections.count - 1].rows.append(row)
        }
        return sections
    }

    private func sectionChangeCount(
        from old: [(id: Int64, rows: [ListedRow])], to new: [ListedRow]
    ) -> Int {
        zip(sections(of: new), old).reduce(0) { $0 + $1.0.rows.difference(from: $1.1.rows).count }
    }
#else
    private func changeCount(from old: ObservedList<ListedRow>, to new: ObservedList<ListedRow>) -> Int {
        new.changes(since: old).updated.ranges.count
    }

    private func sections(of rows: ObservedList<ListedRow>) -> ObservedSections<Int64, ListedRow> {
        rows.sections { $0.score / 10_000 }
    }

    private func sectionChangeCount(
        from old: ObservedSections<Int64, ListedRow>, to new: ObservedList<ListedRow>
    ) -> Int {
        new.sections(updating: old) { $0.score / 10_000 }.changes(since: old).updated.count
    }
#endif
