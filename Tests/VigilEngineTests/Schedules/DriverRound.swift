import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilTesting

@testable import VigilEngine

/// Writers and clients that use one simulated database under faults for some steps, followed by the final
/// checks.
final class DriverRound: Sendable {
    struct Shared {
        var clients: [DriverClient] = []
        var sharedClients: [SharedClient] = []
        var problems: [String] = []
    }

    let seed: UInt64
    let isPool: Bool
    /// Whether a feed reports the commits to the pool, instead of the writer. It numbers them in its own way.
    let hasFeed: Bool
    /// How long to wait for an expected value.
    let timeout: TimeInterval
    let faults: SimulatedFaults
    let writer: any DatabaseWriter
    let history = DriverHistory()
    let timer = ManualClock()
    let shared = Mutex(Shared())
    /// Signalled when a client receives a callback.
    let news = DispatchSemaphore(value: 0)
    private let common = DriverClient.commonObservation()
    private let sharedObservation: SharedValueObservation<Committed<[Int]>>
    private let sharedQueue = DispatchQueue(label: "shared")
    /// Whether the shared observation continues without clients.
    let isObservedForGood: Bool
    /// An observation of all commits of the round. Without it, a commit without registered observers counts
    /// as a change of the whole database.
    private let watch: AnyDatabaseCancellable?
    private let closes: Bool
    let isClosed = Atomic<Bool>(false)

    /// - Parameters:
    ///   - feed: the feed of the round; `nil` leaves the decision to the seed.
    ///   - timeout: how long to wait for an expected value, in seconds. Only a failing round waits this long.
    init(
        seed: UInt64, feed: SimulatedFeedOptions? = nil, timeout: TimeInterval = ScheduleSettings.timeout
    ) throws {
        self.seed = seed
        self.timeout = timeout
        var random = SplitMix64(seed: seed)
        isPool = feed != nil || !random.chance(4)
        let feed = feed ?? (isPool && seed.isMultiple(of: 3) ? .random(seed: seed) : nil)
        hasFeed = feed != nil
        closes = random.chance(6)
        faults = SimulatedFaults(seed: seed)
        var configuration = Configuration()
        configuration.maximumReaderCount = Int.random(in: 1...3, using: &random)
        configuration.maximumKeptStatementCount = [100, 0, 2][Int(seed % 3)]
        let backend = SimulatedBackend(faults: faults, feed: feed)
        writer =
            isPool
            ? try DatabasePool(
                backend: backend, location: .file(path: "db"), configuration: configuration,
                timer: JumpingTimer(seed: seed))
            : try DatabaseQueue(backend: backend, location: .file(path: "db"), configuration: configuration)
        isObservedForGood = random.chance(2)
        sharedObservation = common.withCommitNumber().shared(
            in: writer, scheduling: .async(onQueue: sharedQueue),
            extent: isObservedForGood ? .observationLifetime : .whileObserved)
        try writer.writeWithoutTransaction { [history] db in
            try db.execute(sql: DriverState.schema)
            history.append(DriverState(), db)
        }
        watch =
            random.chance(3)
            ? nil
            : DatabaseRegionObservation(tracking: DatabaseRegion(table: "s"))
                .start(in: writer, onError: { _ in }, onChange: { _ in })
        if random.chance(2) { addFaults(&random) }
    }

    private func addFaults(_ random: inout SplitMix64) {
        let kinds: [SimulatedFaults.Kind] = [
            .busy, .ioError, .diskFull, .failingCommit(.ioError, rollsBack: false),
            .failingCommit(.full, rollsBack: true),
        ]
        for kind in kinds where random.chance(2) {
            faults.add(.random(kind, probability: Double.random(in: 0...0.03, using: &random)))
        }
    }

    /// Whether the changes of each commit are known.
    var isPrecise: Bool { (watch != nil || !isPool) && !hasFeed }

    func stopWatching() { watch?.cancel() }

    func problem(_ text: String) { shared.withLock { $0.problems.append(text) } }

    // MARK: - Running

    /// Runs the round, and returns the problems that it found.
    func run() -> [String] {
        let group = DispatchGroup()
        let workers: [@Sendable (inout SplitMix64) -> Void] = [write, write, act, act, read]
        for (index, worker) in workers.enumerated() {
            group.enter()
            Thread.detachNewThread { [seed] in
                var random = SplitMix64(seed: seed &* 31 &+ UInt64(index))
                worker(&random)
                group.leave()
            }
        }
        guard group.wait(timeout: .now() + testTimeout) == .success else { return ["no progress"] }
        startDuringTheLastWrite()
        if closes { close() }
        let problems = judge()
        end()
        return problems
    }

    private func write(_ random: inout SplitMix64) {
        for _ in 0..<Int.random(in: 4...16, using: &random) {
            // Errors are expected, and roll back.
            try? writer.writeWithoutTransaction { db in try transact(&random, db) }
            for _ in 0..<Int.random(in: 0...4, using: &random) { sched_yield() }
        }
        if random.chance(3) {
            for step in [1, 2] { try? writer.writeWithoutTransaction { db in try choose(step, db) } }
        }
    }

    /// Changes the choice only. After steps of 1 and 2, the state is as before.
    private func choose(_ step: Int, _ db: Database) throws {
        var state = history.last
        state.choice = (state.choice + step) % 3
        try db.inTransaction {
            try db.execute(sql: "UPDATE s SET w = ?", arguments: [state.choice])
            return .commit
        }
        history.append(state, db)
    }

    private func transact(_ random: inout SplitMix64, _ db: Database) throws {
        var state = history.last
        let stamp = history.all.count
        let isUndone = random.chance(8)
        let changesChoice = random.chance(4)
        let tables = (0...2).shuffled(using: &random)
        let amount = Int.random(in: 1...50, using: &random)
        try db.inTransaction {
            if changesChoice {
                state.choice = (state.choice + Int.random(in: 1...2, using: &random)) % 3
                try db.execute(sql: "UPDATE s SET w = ?", arguments: [state.choice])
            }
            if !changesChoice || random.chance(2) {
                for (table, change) in [(tables[0], amount), (tables[1], -amount)] {
                    state.numbers[table] += change
                    state.stamps[table] = stamp
                    try db.execute(
                        sql: "UPDATE t\(table) SET n = ?, v = ?", arguments: [state.numbers[table], stamp])
                }
            }
            return isUndone ? .rollback : .commit
        }
        if !isUndone { history.append(state, db) }
    }

    /// Reads, so that the rounds of a pool pause.
    private func read(_ random: inout SplitMix64) {
        for _ in 0..<Int.random(in: 0...30, using: &random) {
            let yields = Int.random(in: 0...4, using: &random)
            // Errors are expected.
            _ = try? writer.read { db in
                for _ in 0..<yields { sched_yield() }
                return try DriverQuery.all.fetch(db)
            }
        }
    }

    /// Performs a random client step.
    private func act(_ random: inout SplitMix64) {
        for step in 0..<Int.random(in: 6...16, using: &random) {
            let clients = shared.withLock { $0.clients }
            let client = clients.randomElement(using: &random)
            switch step < 2 ? 0 : Int.random(in: 0..<11, using: &random) {
            case 0, 1: start(&random)
            case 2: startShared()
            case 3: shared.withLock { $0.sharedClients }.randomElement(using: &random)?.cancel()
            case 4: client?.cancel()
            case 5: client?.togglePause()
            case 6: client?.request()
            case 7: timer.fire()
            case 8: if random.chance(4) { client?.failsNext.store(true, ordering: .relaxed) }
            case 9: client?.isPostponed.store(true, ordering: .relaxed)
            default: if random.chance(4) { writer.interrupt() }
            }
            for _ in 0..<Int.random(in: 0...6, using: &random) { sched_yield() }
        }
    }

    private func start(_ random: inout SplitMix64) {
        let style = DriverStyle(&random)
        let count = shared.withLock { $0.clients.count }
        guard count < 8 else { return }
        let client = DriverClient("\(count)", style, isPool: isPool, hasFeed: hasFeed, news: news)
        client.start(in: writer, timer: timer, common: common)
        shared.withLock { $0.clients.append(client) }
    }

    /// Starts a client of a pool, and performs the last write of the round between the client's first fetch
    /// and its registration.
    ///
    /// The threads of a round rarely do this by themselves, and a later write would hide that the value is
    /// lost.
    private func startDuringTheLastWrite() {
        guard isPool else { return }
        var random = SplitMix64(seed: seed &* 31 &+ 5)
        var style = DriverStyle(&random)
        // The fetches of a common observation belong to no client, and without demand there may be none.
        while style.source == .common || style.demand == 0 { style = DriverStyle(&random) }
        let client = DriverClient("last", style, isPool: isPool, hasFeed: hasFeed, news: news)
        client.afterRead.withLock { $0 = { [self, random] in writeOnAnotherThread(random) } }
        client.start(in: writer, timer: timer, common: common)
        shared.withLock { $0.clients.append(client) }
        let end = DispatchTime.now() + testTimeout
        while client.log.withLock({ $0.values.isEmpty && !$0.isEnded }) {
            guard news.wait(timeout: end) == .success else {
                return problem("no first value of the last client")
            }
        }
    }

    /// Performs a write, and waits for it.
    private func writeOnAnotherThread(_ random: SplitMix64) {
        let isWritten = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            var random = random
            // Errors are expected, and roll back.
            try? writer.writeWithoutTransaction { db in try transact(&random, db) }
            isWritten.signal()
        }
        if isWritten.wait(timeout: .now() + testTimeout) == .timedOut {
            problem("no progress of the last write")
        }
    }

    private func startShared() {
        let client = SharedClient(queue: sharedQueue, news: news)
        guard shared.withLock({ $0.sharedClients.count < 6 }) else { return }
        client.start(sharedObservation)
        shared.withLock { $0.sharedClients.append(client) }
    }

    private func close() {
        faults.removeAllRules()
        do {
            try writer.close()
            isClosed.store(true, ordering: .sequentiallyConsistent)
        } catch {
            problem("it cannot be closed: \(error)")
        }
    }

    // MARK: - The end

    private func end() {
        for client in shared.withLock({ $0.clients }) { client.release() }
        for client in shared.withLock({ $0.sharedClients }) { client.cancel() }
        try? writer.close()
    }
}

extension SimulatedFeedOptions {
    /// Returns the options of a feed that is precise, coarse in between, or loses commits.
    static func random(seed: UInt64) -> SimulatedFeedOptions {
        var random = SplitMix64(seed: ~seed)
        return SimulatedFeedOptions(
            seed: seed, longestLag: Int.random(in: 0...12, using: &random),
            lossProbability: random.chance(2) ? 0 : 0.1, coarseProbability: random.chance(2) ? 0 : 0.2)
    }
}

/// A client of the shared observation of a round.
final class SharedClient: Sendable {
    struct Log {
        var values: [Committed<[Int]>] = []
        var problems: [String] = []
        var isEnded = false
        var cancellable: AnyDatabaseCancellable?
    }

    let log = Mutex(Log())
    private let queue: DispatchQueue
    private let news: DispatchSemaphore

    init(queue: DispatchQueue, news: DispatchSemaphore) {
        self.queue = queue
        self.news = news
    }

    func start(_ observation: SharedValueObservation<Committed<[Int]>>) {
        let cancellable = observation.start { [self] _ in
            log.withLock { log in
                if log.isEnded { log.problems.append("an error after the end") }
                log.isEnded = true
            }
            news.signal()
        } onChange: { [self] value in
            log.withLock { log in
                if log.isEnded { log.problems.append("a value after the end") }
                log.values.append(value)
            }
            news.signal()
        }
        log.withLock { $0.cancellable = cancellable }
    }

    func cancel() {
        queue.sync {
            let cancellable = log.withLock { log in
                defer { log.cancellable = nil }
                return log.cancellable
            }
            cancellable?.cancel()
            log.withLock { $0.isEnded = true }
        }
    }
}
