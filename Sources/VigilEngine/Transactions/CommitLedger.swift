import Synchronization
import VigilRegions

/// What was committed lately, and who wants to observe from now on. Shared by the writer and whoever reads elsewhere.
///
/// It makes one step of what must be one: that a region is observed from commit `s` on, and that nothing was
/// committed between `s` and now. Without it, a commit between the two would be missed.
final class CommitLedger: Sendable {
    struct Registration: Sendable {
        let id: ObserverID
        /// `nil` for an observer that is known already, and has another region now.
        let observer: (any CommitObserver)?
        var region: DatabaseRegion
    }

    private struct State {
        var log: ChangeLog
        var registrations: [Registration] = []
        var nextID = 1
        /// Whether a condition on a prefix means what it meant when it was found in a query; see ``forgetPrefixes()``.
        var trustsPrefixes = true

        func trusted(_ region: DatabaseRegion) -> DatabaseRegion {
            trustsPrefixes ? region : region.withoutPrefixes()
        }

        mutating func add(_ registration: Registration) {
            var registration = registration
            registration.region = trusted(registration.region)
            registrations.append(registration)
        }
    }

    private let state: Mutex<State>

    /// - Parameter capacity: how many commits are written down with what they changed. Needed only where somebody reads
    ///   elsewhere.
    init(capacity: Int = 256) {
        state = Mutex(State(log: ChangeLog(capacity: capacity)))
    }

    /// The last commit. Whatever is read *afterwards* has all commits up to it.
    var last: CommitNumber { state.withLock { $0.log.last } }

    /// Makes a number for an observer.
    func makeID() -> ObserverID {
        state.withLock { state in
            defer { state.nextID += 1 }
            return ObserverID(state.nextID)
        }
    }

    /// Asks for an observer to be told of commits from now on.
    ///
    /// - Parameter commit: what the observer has read has all commits up to this one.
    /// - Returns: whether a commit since then may have changed the region: the observer must read again.
    func register(_ registration: Registration, after commit: CommitNumber) -> Bool {
        state.withLock { state in
            state.add(registration)
            #if VIGIL_PLANTED_BUG
                // `Scripts/canary` proves that the tests of schedules notice what is missing here.
                return false
            #else
                return state.log.last > commit
                    && state.log.isModified(
                        state.trusted(registration.region), after: commit)
            #endif
        }
    }

    /// Asks for an observer to be told of commits from now on.
    ///
    /// - Returns: the last commit of which the observer was not told.
    func register(_ registration: Registration) -> CommitNumber {
        state.withLock { state in
            state.add(registration)
            return state.log.last
        }
    }

    // MARK: - Prefixes

    /// Takes no condition on a prefix for certain from now on, because a connection has replaced `LIKE` or `GLOB`.
    ///
    /// - Returns: whether that is news.
    func forgetPrefixes() -> Bool {
        state.withLock { state in
            defer {
                state.trustsPrefixes = false
                for index in state.registrations.indices {
                    state.registrations[index].region = state.registrations[index].region.withoutPrefixes()
                }
            }
            return state.trustsPrefixes
        }
    }

    /// A region as it is to be observed.
    func trusted(_ region: DatabaseRegion) -> DatabaseRegion { state.withLock { $0.trusted(region) } }

    // MARK: - Commits

    /// Writes down a commit.
    ///
    /// - Returns: the commit's number, and those who registered since the last call.
    func append(_ changes: ChangeSet) -> (commit: CommitNumber, newcomers: [Registration]) {
        state.withLock { state in
            let commit = changes.isEmpty ? state.log.last : state.log.append(changes)
            defer { state.registrations = [] }
            return (commit, state.registrations)
        }
    }
}
