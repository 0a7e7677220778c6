import Synchronization
public import VigilStorage

/// The faults of a ``SimulatedBackend``.
///
/// Each point where a fault can occur has a number, counted from 1 over all connections of the backend. A
/// rule causes a fault at a given number, or at random points, depending on the seed. If connections are used
/// in the same order, the same rules and the same seed cause the same faults.
///
/// ```swift
/// let faults = SimulatedFaults(seed: 42, rules: [.diskFull(atWrite: 3), .random(.busy, probability: 0.1)])
/// let backend = SimulatedBackend(faults: faults)
/// ```
///
/// Use the counts to create a rule for the next point:
/// `faults.add(.ioError(atStep: faults.counts.steps + 1))`.
public final class SimulatedFaults: Sendable {
    /// A kind of fault.
    public enum Kind: Sendable, Hashable {
        /// The write lock is refused, as if another connection held it. The busy handler is called where
        /// SQLite does.
        case busy
        /// A step fails, and the transaction is rolled back, if one is open.
        case ioError
        /// A commit fails after `ChangeSink.willCommit()`. Without `rollsBack`, the transaction stays open.
        case failingCommit(StorageError.Code, rollsBack: Bool)
        /// A row cannot be written, and the transaction is rolled back.
        case diskFull
    }

    /// A rule for the time of a fault.
    public struct Rule: Sendable {
        enum Moment: Sendable {
            case at(Int)
            case random(probability: Double)
        }

        enum Effect: Sendable {
            case fault(Kind)
            case call(@Sendable () -> Void)
        }

        let moment: Moment
        let effect: Effect

        /// Returns a rule that refuses the write lock at the n-th request.
        public static func busy(atLock number: Int) -> Rule {
            Rule(moment: .at(number), effect: .fault(.busy))
        }

        /// Returns a rule that fails the n-th `StorageStatement.step()`.
        public static func ioError(atStep number: Int) -> Rule {
            Rule(moment: .at(number), effect: .fault(.ioError))
        }

        /// Returns a rule that fails the n-th commit of a transaction with the write lock.
        ///
        /// - Parameters:
        ///   - number: the number of the commit, from 1.
        ///   - code: the code of the error.
        ///   - rollsBack: whether the transaction is rolled back. Otherwise it stays open.
        public static func failingCommit(
            _ number: Int, code: StorageError.Code = .ioError, rollsBack: Bool = false
        ) -> Rule {
            Rule(moment: .at(number), effect: .fault(.failingCommit(code, rollsBack: rollsBack)))
        }

        /// Returns a rule that fails the n-th insertion, update or deletion of a row: the disk is full.
        public static func diskFull(atWrite number: Int) -> Rule {
            Rule(moment: .at(number), effect: .fault(.diskFull))
        }

        /// Returns a rule that calls `body` at the beginning of the n-th `StorageStatement.step()`.
        ///
        /// The closure is called on the thread of the step, while no lock is held. It may block, use other
        /// connections, or interrupt this one.
        public static func slowStep(_ number: Int, _ body: @escaping @Sendable () -> Void) -> Rule {
            Rule(moment: .at(number), effect: .call(body))
        }

        /// Returns a rule that causes a fault, with a probability from 0 to 1, at each point where one of
        /// this kind can occur.
        public static func random(_ kind: Kind, probability: Double) -> Rule {
            Rule(moment: .random(probability: probability), effect: .fault(kind))
        }
    }

    /// The numbers of passed points of each kind.
    public struct Counts: Sendable, Hashable {
        /// The number of requests for the write lock.
        public internal(set) var locks = 0
        /// The number of steps of statements.
        public internal(set) var steps = 0
        /// The number of commits of transactions with the write lock.
        public internal(set) var commits = 0
        /// The number of inserted, updated and deleted rows.
        public internal(set) var writes = 0
    }

    /// A past fault.
    public struct Strike: Sendable, Hashable {
        /// The kind of the fault.
        public let kind: Kind
        /// The number of its point.
        public let number: Int
    }

    /// The maximum number of faults in ``strikes``.
    public static let rememberedStrikes = 10_000

    private struct State {
        var random: SplitMix64
        var rules: [Rule]
        var counts = Counts()
        var strikes: [Strike] = []
    }

    /// The seed of the random rules.
    public let seed: UInt64
    private let state: Mutex<State>

    /// Creates faults with the given rules. By default there are none.
    public init(seed: UInt64 = 0, rules: [Rule] = []) {
        self.seed = seed
        state = Mutex(State(random: SplitMix64(seed: seed), rules: rules))
    }

    /// The numbers of points of each kind passed so far.
    public var counts: Counts { state.withLock { $0.counts } }

    /// The past faults, in order. Only the first ``rememberedStrikes`` are kept.
    public var strikes: [Strike] { state.withLock { $0.strikes } }

    /// Adds a rule. It takes effect at the next point.
    public func add(_ rule: Rule) {
        state.withLock { $0.rules.append(rule) }
    }

    /// Removes all rules. The counts and the state of the random numbers are kept.
    public func removeAllRules() {
        state.withLock { $0.rules.removeAll() }
    }

    // MARK: Points

    /// Passes a request for the write lock, and returns whether it is refused.
    func passLock() -> Bool {
        pass(\.locks) { $0 == .busy } != nil
    }

    /// Passes a step: calls the closures of its rules, then throws if a rule requires it.
    func passStep() throws(StorageError) {
        let (fault, calls) = state.withLock { state in
            state.counts.steps += 1
            let number = state.counts.steps
            let calls = state.rules.compactMap { $0.call(at: number) }
            return (Self.strike(&state, at: number) { $0 == .ioError }, calls)
        }
        for call in calls { call() }
        if fault != nil { throw StorageError(.ioError, "disk I/O error") }
    }

    func passWrite() throws(StorageError) {
        guard pass(\.writes, { $0 == .diskFull }) != nil else { return }
        throw StorageError(.full, "database or disk is full")
    }

    /// Passes a commit; returns its error and whether the transaction is rolled back, `nil` if it succeeds.
    func passCommit() -> (error: StorageError, rollsBack: Bool)? {
        guard case .failingCommit(let code, let rollsBack)? = pass(\.commits, \.isFailingCommit) else {
            return nil
        }
        return (StorageError(code, "the commit failed because of a simulated fault"), rollsBack)
    }

    private func pass(_ point: WritableKeyPath<Counts, Int>, _ matches: (Kind) -> Bool) -> Kind? {
        state.withLock { state in
            state.counts[keyPath: point] += 1
            return Self.strike(&state, at: state.counts[keyPath: point], matches)
        }
    }

    /// Applies the rules to a point, and returns the fault.
    ///
    /// Random rules draw a number even if an earlier rule causes a fault, so a rule does not shift the random
    /// numbers of others.
    private static func strike(_ state: inout State, at number: Int, _ matches: (Kind) -> Bool) -> Kind? {
        var struck: Kind?
        for rule in state.rules {
            guard case .fault(let kind) = rule.effect, matches(kind) else { continue }
            let strikes =
                switch rule.moment {
                case .at(let moment): moment == number
                case .random(let probability):
                    Double.random(in: 0..<1, using: &state.random) < probability
                }
            if strikes, struck == nil { struck = kind }
        }
        if let struck, state.strikes.count < rememberedStrikes {
            state.strikes.append(Strike(kind: struck, number: number))
        }
        return struck
    }
}

extension SimulatedFaults.Kind {
    fileprivate var isFailingCommit: Bool {
        if case .failingCommit = self { true } else { false }
    }
}

extension SimulatedFaults.Rule {
    fileprivate func call(at number: Int) -> (@Sendable () -> Void)? {
        guard case .call(let body) = effect, case .at(number) = moment else { return nil }
        return body
    }
}
