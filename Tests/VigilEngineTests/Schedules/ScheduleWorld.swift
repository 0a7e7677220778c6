import VigilRegions
import VigilTesting

@testable import VigilEngine

/// A model of a pool: the real machines, ledger and index, without threads. A random number generator selects
/// the next step.
///
/// The work of a driver between two points at which other threads can interleave is one ``Step``.
final class ScheduleWorld {
    enum Step: Hashable {
        /// The writer continues a transaction, or takes the next job.
        case writer
        /// A reader that serves stale observers continues.
        case round
        /// The timer fires that watches for slow fetches.
        case watch
        /// The pause between two rounds ends.
        case endOfPause
        /// The pause of postponed fetches ends.
        case endOfPostponement
        /// The per-commit reader continues.
        case perCommit
        case consumer(Int)
        case timer(Int)
        // Steps of clients.
        case start(Int)
        case cancel(Int)
        case pause(Int)
        case request(Int)
        case commit
        case close
    }

    enum Job {
        case commit(Set<Int64>)
        case registerPending
        case remove(ObserverID)
        case perCommitRead(Int)
        case close
    }

    enum WriterStage {
        case idle
        case recorded(Set<Int64>)
        case durable
        case matched([StaleObserver], ChangeSet)
        case appended([StaleObserver], ChangeSet)
    }

    struct Stale: Hashable {
        let observer: Int
        let id: ObserverID?

        static func == (a: Stale, b: Stale) -> Bool { a.observer == b.observer }
        func hash(into hasher: inout Hasher) { hasher.combine(observer) }
    }

    /// A reader that a round has requested, or uses.
    enum RoundStage {
        case leasing(isSlow: Bool)
        /// The round has begun, and the observers whose fetches are slow are not separated yet.
        case separating([Stale], RoundNumber)
        case begun(RoundNumber, [Stale])
        /// The last commit is known, the snapshot exists, or both.
        case opening(RoundNumber, [Stale], commit: Int?, state: Int?)
        case reading(Round)
        case fetching(Round)
        case fetched(Round, DatabaseRegion, ModelObserver.Reading)
        case registering(Round, DatabaseRegion, ObserverID, ModelObserver.Reading)
        case registered(Round, ObserverID, isStale: Bool, ModelObserver.Reading)
        case ended(RoundNumber)
    }

    struct Round {
        let number: RoundNumber
        let commit: Int
        let state: Int
        /// The observers at the begin of the round, only for planted bugs.
        var observers: [Stale]
        /// The observers that were added to the round afterwards, only for planted bugs.
        var joined: [Stale] = []
        var current: Stale?
    }

    struct PerCommitRound {
        let commit: Int
        let changes: ChangeSet
        var fetches: [PerCommitFetchMachine<Int>.QueuedFetch]
        /// The state that the reader sees; `nil` if the writer fetched.
        let state: Int?
        var readings: [PerCommitReading]
    }

    struct PerCommitReading {
        var ended = false
        var reading: ModelObserver.Reading?
    }

    let bug: ScheduleBug?
    let seed: UInt64
    var random: SplitMix64
    var database = ModelDatabase()
    let ledger = CommitLedger()
    let index = RegionMatcher(ignoresNoOpUpdates: true, keepsUnobservedRows: true)
    let readerCount: Int
    var rounds: FetchRoundMachine<Stale>
    var observers: [ModelObserver] = []
    var jobs: [Job] = []
    var writer = WriterStage.idle
    var lanes: [RoundStage] = []
    /// The number of running timers that watch for slow fetches.
    var watches = 0
    /// The running timers of pauses, including timers of pauses that have ended early.
    var pauses: [(number: FetchRoundMachine<Stale>.Pause, duration: Duration)] = []
    /// The fetches of each round that must be repeated.
    var postponed: [RoundNumber: [Stale]] = [:]
    /// The running timers of postponed fetches.
    var postponements: [FetchRoundMachine<Stale>.Postponement] = []
    var now = ContinuousClock.now
    var perCommit = PerCommitFetchMachine<Int>()
    var perCommitRounds: [PerCommitRound] = []
    var perCommitKnown: [Int: (id: ObserverID, region: DatabaseRegion)] = [:]
    var perCommitTaken: (queued: PerCommitFetchMachine<Int>.QueuedFetch, reading: ModelObserver.Reading)?
    /// Whether a close is pending, which prevents further reader leases.
    var isBarred = false
    var isClosed = false
    /// Whether rounds compete with reads, and pause.
    let isBusy: Bool
    /// Whether fetches may fail.
    let failsSometimes: Bool
    /// Whether the server may be impossible to read.
    let postponesSometimes: Bool
    /// The number of steps that clients may still take.
    var clientSteps = 30
    private let weights: [Int]
    private(set) var trace: [Step] = []
    private(set) var problems: [String] = []

    init(seed: UInt64, bug: ScheduleBug? = nil) {
        self.seed = seed
        self.bug = bug
        random = SplitMix64(seed: seed)
        failsSometimes = random.chance(4)
        isBusy = random.chance(2)
        postponesSometimes = random.chance(3)
        readerCount = random.chance(2) ? 1 : Int.random(in: 2...4, using: &random)
        rounds = FetchRoundMachine(readerCount: readerCount)
        // Speeds differ between schedules: the writer may be much faster than the readers, or the consumers
        // slow.
        let speeds = [1, 3, 12]
        weights = (0..<6).map { [random] _ in
            var random = random
            return speeds.randomElement(using: &random) ?? 1
        }
        for number in 0..<Int.random(in: 1...4, using: &random) {
            observers.append(ModelObserver(number, &random, ignoresDemand: bug == .demandIgnored))
        }
    }

    func problem(_ text: String) {
        problems.append(text)
    }

    func chance(_ n: Int) -> Bool { random.chance(n) }

    // MARK: - Running

    /// Runs the schedule, and returns the problems that it found.
    func run() -> [String] {
        if isBusy { runUntilPause() }
        while problems.isEmpty, clientSteps > 0 { go(among: internalSteps + clientChoices) }
        calmDown()
        if problems.isEmpty { checkAtRest() }
        if problems.isEmpty { endAll() }
        return problems
    }

    private func go(among steps: [Step]) {
        let total = steps.reduce(0) { $0 + weight($1) }
        guard total > 0 else {
            clientSteps = 0
            return
        }
        var choice = Int.random(in: 0..<total, using: &random)
        for step in steps {
            choice -= weight(step)
            if choice < 0 { return perform(step) }
        }
    }

    /// Runs until no step is left.
    func runUntilQuiet() {
        var count = 0
        while problems.isEmpty {
            let steps = internalSteps
            if steps.isEmpty { return }
            go(among: steps)
            count += 1
            if count > 5_000 { problem("the schedule does not end") }
        }
    }

    /// Starts all observers but one, and commits until the rounds pause, so that the last observer may start
    /// during a pause.
    private func runUntilPause() {
        for observer in observers.dropLast() { perform(.start(observer.number)) }
        var count = 0
        while pauses.isEmpty, problems.isEmpty, count < 150 {
            let steps = internalSteps
            if steps.isEmpty { perform(.commit) } else { go(among: steps) }
            count += 1
        }
        clientSteps = 30
    }

    private func weight(_ step: Step) -> Int {
        switch step {
        case .writer: weights[0]
        case .round: weights[1]
        case .perCommit: weights[2]
        case .consumer: weights[3]
        case .timer, .endOfPause, .endOfPostponement, .watch: weights[4]
        default: weights[5]
        }
    }

    private var internalSteps: [Step] {
        var steps: [Step] = []
        if !isWriterIdle { steps.append(.writer) }
        if !readyLanes.isEmpty { steps.append(.round) }
        if watches > 0 { steps.append(.watch) }
        if !pauses.isEmpty { steps.append(.endOfPause) }
        if !postponements.isEmpty { steps.append(.endOfPostponement) }
        if perCommitTaken != nil || !perCommitRounds.isEmpty { steps.append(.perCommit) }
        for observer in observers {
            if !observer.messages.isEmpty { steps.append(.consumer(observer.number)) }
            if observer.timers > 0 { steps.append(.timer(observer.number)) }
        }
        return steps
    }

    private var clientChoices: [Step] {
        var steps: [Step] = []
        if !isBarred { steps.append(.commit) }
        for observer in observers {
            if !observer.isStarted {
                if !isBarred { steps.append(.start(observer.number)) }
                continue
            }
            if observer.isPausable { steps.append(.pause(observer.number)) }
            if observer.hasDemand { steps.append(.request(observer.number)) }
        }
        if clientSteps < 15 {
            for observer in observers where observer.isLive && observer.number > 0 {
                steps.append(.cancel(observer.number))
            }
            if canClose, failsSometimes { steps.append(.close) }
        }
        return steps
    }

    private func perform(_ step: Step) {
        trace.append(step)
        switch step {
        case .writer: goOnWriting()
        case .round: goOnReading()
        case .watch: endWatch()
        case .endOfPause: endPause()
        case .endOfPostponement: endPostponement()
        case .perCommit: continuePerCommit()
        case .consumer(let number): consume(observers[number])
        case .timer(let number):
            observers[number].timers -= 1
            act(observers[number]) { $0.throttlingIntervalDidEnd() }
        default:
            clientSteps -= 1
            performForClient(step)
        }
    }

    private func performForClient(_ step: Step) {
        switch step {
        case .start(let number): start(observers[number])
        case .cancel(let number): cancel(observers[number])
        case .pause(let number): pause(observers[number], !observers[number].isPauseAsked)
        case .request(let number): request(observers[number])
        case .commit:
            let rows = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                Int64.random(in: ModelDatabase.rows, using: &random)
            }
            jobs.append(.commit(Set(rows)))
        case .close:
            isBarred = true
            jobs.append(.close)
        default: break
        }
    }
}
