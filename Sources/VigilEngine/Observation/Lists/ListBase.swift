import VigilRegions

/// Finds out which commits after the last fetch of a list did not modify its region. The next fetch needs
/// none of their changes, however many they are.
struct ListBase: Equatable {
    private enum Phase: Equatable {
        /// The region of the last fetch is not registered yet.
        case unregistered
        /// No commit since the last fetch has modified the region.
        case unmodified
        /// The commit is the first one since the last fetch that may have modified the region.
        case modified(CommitNumber)
        /// A commit may have modified the region before it was registered.
        case unknown
    }

    private var phase = Phase.unregistered

    mutating func didFetch() { phase = .unregistered }

    /// Handles the registration of the region, if no commit since the fetch has modified it.
    mutating func didRegister() {
        if phase == .unregistered { phase = .unmodified }
    }

    /// Handles a commit that may have modified the region. Called when it is numbered: the observer may be
    /// notified after later commits.
    mutating func didMatch(_ commit: CommitNumber) {
        switch phase {
        case .unregistered: phase = .unknown
        case .unmodified: phase = .modified(commit)
        case .modified, .unknown: break
        }
    }

    /// Returns the last commit whose state the list still shows.
    ///
    /// - Parameter fetched: the last commit that the last fetch contains.
    func base(after fetched: CommitNumber) -> CommitNumber {
        guard case .modified(let first) = phase, first.rawValue > 0 else { return fetched }
        return max(fetched, CommitNumber(rawValue: first.rawValue - 1))
    }
}
