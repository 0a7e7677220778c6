import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilStorage
import VigilTesting

@testable import VigilEngine

/// The configuration of an observation in a round.
struct DriverStyle {
    enum Source {
        case own
        /// Started from one `ValueObservation` that several clients share.
        case common
        case group
        case constantRegion
        case givenRegion
    }

    let query: DriverQuery
    let source: Source
    let isNever: Bool
    let isThrottled: Bool
    let demand: Int?
    let isPausable: Bool
    let isDistinct: Bool
    /// Whether callbacks run on the fetching thread instead of a queue.
    let isInline: Bool
    /// How often a fetch yields to other threads.
    let yields: Int

    init(_ random: inout SplitMix64) {
        let sources: [Source] = [.own, .own, .common, .group, .constantRegion, .givenRegion]
        source = sources.randomElement(using: &random) ?? .own
        switch source {
        case .common, .group: query = .all
        case .own where !random.chance(3): query = .chosen
        default: query = .table(Int.random(in: 0...2, using: &random))
        }
        isNever = random.chance(3)
        isThrottled = random.chance(5)
        demand = random.chance(5) ? Int.random(in: 0...2, using: &random) : nil
        isPausable = random.chance(4)
        isDistinct = random.chance(4)
        isInline = random.chance(3)
        yields = Int.random(in: 0...3, using: &random)
    }
}

struct DriverFailure: Error {}

/// One observation of a round, and a log of its callbacks.
final class DriverClient: Sendable {
    struct Log {
        var values: [Committed<[Int]>] = []
        var problems: [String] = []
        var fetches = 0
        var isFetching = false
        /// Whether a fetch could not read the database, and was repeated later, with the commits in between.
        var wasPostponed = false
        var isCancelled = false
        var isFailed = false
        /// Whether the observation reported its end.
        var isEnded = false
    }

    let name: String
    let style: DriverStyle
    let isCoalescing: Bool
    let log = Mutex(Log())
    let queue = DispatchQueue(label: "client")
    let pause = ObservationPause()
    let failsNext = Atomic<Bool>(false)
    /// Whether the next fetch finds that the server cannot be read.
    let isPostponed = Atomic<Bool>(false)
    /// Called once, by the first fetch that does not use the writer, after it has read.
    let afterRead = Mutex<(@Sendable () -> Void)?>(nil)
    private let cancellable = Mutex<(any DemandingCancellable)?>(nil)
    private let news: DispatchSemaphore

    init(_ name: String, _ style: DriverStyle, isPool: Bool, hasFeed: Bool, news: DispatchSemaphore) {
        self.name = "\(name) \(style)"
        self.style = style
        self.news = news
        isCoalescing = isPool && (!style.isNever || hasFeed) || style.isThrottled || style.demand != nil
    }

    // MARK: - Starting

    /// Returns the observation that all `common` clients of a round share.
    static func commonObservation() -> ValueObservation<ValueReducers.Fetch<[Int]>> {
        .tracking { db in try DriverQuery.all.fetch(db) }
    }

    func start(
        in writer: any DatabaseWriter, timer: ManualClock,
        common: ValueObservation<ValueReducers.Fetch<[Int]>>
    ) {
        let query = style.query
        let fetch: @Sendable (Database) throws -> [Int] = { [self] db in try self.fetch(query, db) }
        switch style.source {
        case .own: start(.tracking(fetch), writer, timer)
        case .common: start(common, writer, timer)
        case .constantRegion: start(.trackingConstantRegion(fetch), writer, timer)
        case .givenRegion:
            guard case .table(let table) = query else { return }
            start(.tracking(region: DatabaseRegion(table: "t\(table)"), fetch: fetch), writer, timer)
        case .group:
            let tables = (0...2).map { table in
                ValueObservation.tracking { [self] db in try self.fetch(.table(table), db) }
            }
            let group = ObservationGroup(tables[0], tables[1].removeDuplicates(), tables[2])
            start(group.observation.map { $0.0 + $0.1 + $0.2 }, writer, timer)
        }
    }

    private func fetch(_ query: DriverQuery, _ db: Database) throws -> [Int] {
        if failsNext.exchange(false, ordering: .relaxed) { throw DriverFailure() }
        if isPostponed.exchange(false, ordering: .relaxed) { try postpone() }
        let value = try query.fetch(db)
        for _ in 0..<style.yields { sched_yield() }
        if db.coordinator == nil {
            let afterRead = afterRead.withLock { closure in
                defer { closure = nil }
                return closure
            }
            afterRead?()
        }
        return value
    }

    private func postpone() throws {
        log.withLock { log in
            log.fetches -= 1
            log.isFetching = false
            log.wasPostponed = true
        }
        var error = StorageError(.busy, "canceling statement due to lock timeout")
        error.isTransient = true
        throw DatabaseError(error)
    }

    private func start<Reducer>(
        _ observation: ValueObservation<Reducer>, _ writer: any DatabaseWriter, _ timer: ManualClock
    ) where Reducer.Value == [Int] {
        if style.isDistinct {
            startTraced(observation.removeDuplicates(), writer, timer)
        } else {
            startTraced(observation, writer, timer)
        }
    }

    private func startTraced<Reducer>(
        _ observation: ValueObservation<Reducer>, _ writer: any DatabaseWriter, _ timer: ManualClock
    ) where Reducer.Value == [Int] {
        var observation = observation.handleEvents(
            willFetch: { [self] in willFetch() }, didFail: { [self] _ in didEnd() },
            didCancel: { [self] in didEnd() }
        ).withCommitNumber()
        if style.isNever { observation = observation.coalescing(.never) }
        if style.isThrottled { observation = observation.throttled(.milliseconds(1)) }
        if style.isPausable { observation = observation.pausable(by: pause) }
        observation.options.timer = timer
        let demand = style.demand.map { ObservationDemand.limited($0) } ?? .unlimited
        if style.isInline {
            hold(
                observation.started(
                    in: writer, scheduling: .inline, demand: demand, onError: { [self] in didFail($0) },
                    onChange: { [self] in didReceive($0) }))
        } else {
            hold(
                observation.started(
                    in: writer, scheduling: .async(onQueue: queue), demand: demand,
                    onError: { [self] in didFail($0) }, onChange: { [self] in didReceive($0) }))
        }
    }

    private func hold(_ started: any DemandingCancellable) {
        cancellable.withLock { $0 = started }
    }

    // MARK: - Callbacks

    private func willFetch() {
        log.withLock { log in
            log.fetches += 1
            if log.isFetching, isCoalescing, !style.isDistinct {
                log.problems.append("two fetches at a time")
            }
            log.isFetching = true
        }
    }

    func didReceive(_ value: Committed<[Int]>) {
        log.withLock { log in
            if log.isCancelled { log.problems.append("a value after it was cancelled") }
            if log.isFailed, !style.isInline { log.problems.append("a value after an error") }
            log.isFetching = false
            log.values.append(value)
        }
        news.signal()
    }

    func didFail(_ error: any Error) {
        log.withLock { log in
            if log.isCancelled { log.problems.append("an error after it was cancelled") }
            if log.isFailed { log.problems.append("two errors") }
            log.isFailed = true
            log.isEnded = true
        }
        news.signal()
    }

    private func didEnd() {
        log.withLock { $0.isEnded = true }
        news.signal()
    }

    // MARK: - Actions

    /// Cancels the observation where it calls back, after which no callback may follow.
    func cancel() {
        guard !style.isInline else {
            cancellable.withLock { $0 }?.cancel()
            return log.withLock { $0.isEnded = true }
        }
        queue.sync {
            cancellable.withLock { $0 }?.cancel()
            log.withLock { log in
                log.isCancelled = true
                log.isEnded = true
            }
        }
    }

    func togglePause() {
        guard style.isPausable else { return }
        if pause.isPaused { pause.resume() } else { pause.pause() }
    }

    func request() {
        guard style.demand != nil else { return }
        cancellable.withLock { $0 }?.request(1)
    }

    /// Releases the observation and its captured values.
    func release() {
        cancellable.withLock { $0 = nil }
        afterRead.withLock { $0 = nil }
    }
}
