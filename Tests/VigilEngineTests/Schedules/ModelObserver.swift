import VigilRegions

@testable import VigilEngine

/// An observation of the model: a real observation's machine and a record of its events.
// Guard of all state: the single thread of the test.
final class ModelObserver: CommitObserver, @unchecked Sendable {
    /// A fetched value and its commits.
    struct Reading {
        let value: [Int]
        /// The last commit that the value contains.
        let commit: Int
        /// The state that was fetched.
        let state: Int
    }

    enum Message {
        case value(Reading)
        case error
    }

    /// A fetch, kept to check whether the next one was justified.
    struct Fetch {
        let commit: Int
        let rows: Set<Int64>
        /// The last commit when the region was registered.
        var registration = Int.max
    }

    let number: Int
    let query: ModelQuery
    /// Whether the observer always reads the same region, which it registers once.
    let isConstant: Bool
    let removesDuplicates: Bool
    let hasDemand: Bool
    let isPausable: Bool
    var machine: ObservationMachine
    var isStarted = false
    var id: ObserverID?
    var hasCallbacks = true
    /// The messages that the consumer has not received yet.
    var messages: [Message] = []
    var timers = 0
    var isDisarmed = false
    /// Whether the last fetch was slow.
    var isSlow = false
    /// Whether the observer has registered its region.
    var isRegistered = false
    var isPauseAsked = false
    /// Whether the last fetch could not read the database, and has not been repeated.
    var isPostponed = false

    // State of the checks.
    var requested: Int
    var readings: [Reading] = []
    var fetches: [Fetch] = []
    /// The commits that were reported since the last fetch began.
    var reports: [Int] = []
    var lastReduced: [Int]?
    /// The number of fetches whose value the consumer has not taken.
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

    // MARK: - CommitObserver

    var route: FetchRoute { isEach ? .perCommit : .round }
    var mayWrite: Bool { false }
    func begin(in host: any ObservationHost, of database: any DatabaseReader) -> Bool { false }
    func didChange(_ trigger: ObservationTrigger) -> ChangeAnswer { .wait }
    func fetch(_ db: Database, at commit: CommitNumber, because change: MatchedChange?) -> ObserverFetch {
        ObserverFetch(renewal: .ended)
    }
    func willRegister(_ id: ObserverID) {}
    func didRegister(_ id: ObserverID) {}
    func fail(_ error: any Error) {}
    func cancel() {}
}
