import VigilRegions

@testable import VigilEngine

/// For tests in which it does not matter which commit it is.
extension ObservationMachine {
    mutating func commitTouchedRegion() -> Bool { commitTouchedRegion(.zero) }

    mutating func willFetch() -> Bool { willFetch(at: .zero) }
}
