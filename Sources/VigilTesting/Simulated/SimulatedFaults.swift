import Synchronization
public import VigilStorage

/// The mishaps of a ``SimulatedBackend``: which ones, and when.
///
/// Each point where something can go wrong is counted, over all connections of the backend, from 1 on. A rule strikes
/// at the point that it names, or at random points that the seed decides. As long as the connections are used in the
/// same order, the same rules and the same seed give the same faults.
///
/// ```swift
/// let faults = SimulatedFaults(seed: 42, rules: [.diskFull(atWrite: 3), .random(.busy, probability: 0.1)])
/// let backend = SimulatedBackend(faults: faults)
/// ```
///
/// A rule for "the next one" is made from the counts: `faults.add(.ioError(atStep: faults.counts.steps + 1))`.
public final class SimulatedFaults: Sendable {
    /// What can go wrong.
    public enum Kind: Sendable, Hashable {
        /// The right to write is refused, as if another connection had it. The busy handler is asked.
        case busy
        /// A step fails. The library rolls the transaction back, if one is open.
        case ioError
        /// A commit fails, after ``ChangeSink/willCommit()``: the transaction stays open, or is rolled back.
        case failingCommit(StorageError.Code, rollsBack: Bool)
        /// A row cannot be written. The library rolls the transaction back.
        case diskFull
    }

    /// When something goes wrong.
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

        /// The n-th time that a connection asks for the right to write, it is refused.
        public static func busy(atLock number: Int) -> Rule {
            Rule(moment: .at(number), effect: .fault(.busy))
        }

        /// The n-th ``StorageStatement/step()`` fails.
        public static func ioError(atStep number: Int) -> Rule {
            Rule(moment: .at(number), effect: .fault(.ioError))
        }

        /// The n-th commit of a transaction that holds the right to write fails.
        public static func failingCommit(
            _ number: Int, code: StorageError.Code = .ioError, rollsBack: Bool = false
        ) -> Rule {
            Rule(moment: .at(number), effect: .fault(.failingCommit(code, rollsBack: rollsBack)))
        }

        /// The n-th inserted, updated or deleted row does not fit.
        public static func diskFull(atWrite number: Int) -> Rule {
            Rule(moment: .at(number), effect: .fault(.diskFull))
        }

        /// The n-th ``StorageStatement/step()`` first calls `body`, on its thread, with no lock held: it may block, use
        /// other connections, or interrupt this one.
        public static func slowStep(_ number: Int, _ body: @escaping @Sendable () -> Void) -> Rule {
            Rule(moment: .at(number), effect: .call(body))
        }

        /// Strikes with a probability from 0 to 1 wherever a fault of its kind can.
        public static func random(_ kind: Kind, probability: Double) -> Rule {
            Rule(moment: .random(probability: probability), effect: .fault(kind))
        }
    }

    /// How often each point was passed.
    public struct Counts: Sendable, Hashable {
        /// How often the right to write was asked for.
        public internal(set) var locks = 0
        public internal(set) var steps = 0
        public internal(set) var commits = 0
        /// The rows inserted, updated and deleted.
        public internal(set) var writes = 0
    }

    /// A fault that happened.
    public struct Strike: Sendable, Hashable {
        public let kind: Kind
        /// The count of its point.
        public let number: Int
    }

    /// How many strikes are remembered.
    public static let rememberedStrikes = 10_000

    private struct State {
        var random: SplitMix64
        var rules: [Rule]
        var counts = Counts()
        var strikes: [Strike] = []
    }

    public let seed: UInt64
    private let state: Mutex<State>

    public init(seed: UInt64 = 0, rules: [Rule] = []) {
        self.seed = seed
        state = Mutex(State(random: SplitMix64(seed: seed), rules: rules))
    }

    public var counts: Counts { state.withLock { $0.counts } }

    /// The first ``rememberedStrikes`` faults that happened, in their order.
    public var strikes: [Strike] { state.withLock { $0.strikes } }

    public func add(_ rule: Rule) {
        state.withLock { $0.rules.append(rule) }
    }

    /// Takes all rules away; the counts and the state of the random numbers stay.
    public func removeAllRules() {
        state.withLock { $0.rules.removeAll() }
    }

    // MARK: Points

    /// - Returns: whether the lock is refused.
    func passLock() -> Bool {
        pass(\.locks) { $0 == .busy } != nil
    }

    /// Calls what a rule wants to be called at this step, then fails if a rule says so.
    func passStep() throws(StorageError) {
        let (fault, calls) = state.withLock { state in
            state.counts.steps += 1
            let number = state.counts.steps
            let calls = state.rules.compactMap { $0.call(at: number) }
            return (Self.strike(&state, number) { $0 == .ioError }, calls)
        }
        for call in calls { call() }
        if fault != nil { throw StorageError(.ioError, "disk I/O error") }
    }

    func passWrite() throws(StorageError) {
        guard pass(\.writes, { $0 == .diskFull }) != nil else { return }
        throw StorageError(.full, "database or disk is full")
    }

    /// - Returns: the error of the commit, and whether the library rolls back.
    func passCommit() -> (error: StorageError, rollsBack: Bool)? {
        guard case .failingCommit(let code, let rollsBack)? = pass(\.commits, \.isFailingCommit) else {
            return nil
        }
        return (StorageError(code, "the commit failed, as it was told to"), rollsBack)
    }

    private func pass(_ point: WritableKeyPath<Counts, Int>, _ matches: (Kind) -> Bool) -> Kind? {
        state.withLock { state in
            state.counts[keyPath: point] += 1
            return Self.strike(&state, state.counts[keyPath: point], matches)
        }
    }

    /// The random rules draw a number whether or not an earlier rule strikes: so a rule does not shift the numbers of
    /// another one.
    private static func strike(_ state: inout State, _ number: Int, _ matches: (Kind) -> Bool) -> Kind? {
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
