import VigilRegions

@testable import VigilEngine

/// Shorthands for tests that do not depend on commit numbers.
extension ObservationMachine {
    mutating func didMatchCommit() -> Action { didMatchCommit(.zero) }

    mutating func willFetch() -> FetchAnswer { willFetch(at: .zero) }
}
