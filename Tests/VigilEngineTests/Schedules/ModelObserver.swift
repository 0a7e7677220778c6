import VigilRegions

@testable import VigilEngine

/// An observation of the model: the machine of a real one, and what happened to it.
// Guard of everything: the one thread of the test.
final class ModelObserver: CommitObserver, @unchecked Sendable {
    /// What was read, and where it stands.
    struct Reading {
        let value: [Int]
        /// The value has all commits up to this one.
        let commit: Int
        /// The state that was read.
        let state: Int
    }

    enum Message {
        case value(Reading)
        case error
    }

    /// A fetch, for the question why there was another one.
    struct Fetch {
        let commit: Int
        let rows: Set<Int64>
        /// The last commit when the region was registered.
        var registration = Int.max
    }

    let number: Int
    let query: ModelQuery
    /// Whether it reads the same region each time, and says so once.
    let isConstant: Bool
    let removesDuplicates: Bool
    let hasDemand: Bool
    let isPausable: Bool
    var machine: ObservationMachine
    var isStarted = false
    var id: ObserverID?
    var hasCallbacks = true
    /// On its way to the consumer.
    var messages: [Message] = []
    var timers = 0
    var isAsleep = false
    /// Whether it has said what it observes.
    var isRegistered = false
    var isPauseAsked = false

    // What the checks remember.
    var requested: Int
    var readings: [Reading] = []
    var fetches: [Fetch] = []
    var lastReduced: [Int]?
    /// Fetches whose value the consumer has not taken.
    var inFlight = 0
    var wasPaused = false
    var isCancelled = false
    var isFailed = false

    init(_ number: Int, _ random: inout some RandomNumberGenerator, ignoresDemand: Bool = false) {
        self.number = number
        query = ModelQuery.allCases.randomElement(using: &random) ?? .all
        isConstant = query != .chosen && Int.random(in: 0..<3, using: &random) == 0
        let isEach = Int.random(in: 0..<3, using: &random) == 0
        hasDemand = !isEach && Int.random(in: 0..<4, using: &random) == 0
        removesDuplicates = !isEach && Int.random(in: 0..<4, using: &random) == 0
        isPausable = Int.random(in: 0..<3, using: &random) == 0
        requested = hasDemand ? Int.random(in: 0...2, using: &random) : .max
        machine = ObservationMachine(
            mode: isEach ? .eachCommit : .coalescing,
            isThrottled: !isEach && Int.random(in: 0..<4, using: &random) == 0,
            demand: hasDemand && !ignoresDemand ? requested : nil)
    }

    var isEach: Bool { machine.mode == .eachCommit }
    var isLive: Bool { isStarted && !machine.isEnded }

    // MARK: - For the index, which only hands it back

    var needsWriter: Bool { false }
    var readsEachCommit: Bool { isEach }
    func begin(in host: any ObservationHost, of database: any DatabaseReader) -> Bool { false }
    func didChange(_ trigger: ObservationTrigger) -> ChangeAnswer { .wait }
    func read(_ db: Database, at commit: CommitNumber, because reason: HitReason?) -> ObserverReading {
        ObserverReading(renewal: .ended)
    }
    func willRegister(_ id: ObserverID) {}
    func didRegister(_ id: ObserverID) {}
    func fail(_ error: any Error) {}
    func cancel() {}
}
