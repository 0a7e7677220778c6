import VigilRegions

@testable import VigilEngine

/// Shorthands for tests that do not depend on commit numbers.
extension ObservationMachine {
    mutating func didMatchCommit() -> Bool { didMatchCommit(.zero) }

    mutating func willFetch() -> Bool { willFetch(at: .zero) }
}
