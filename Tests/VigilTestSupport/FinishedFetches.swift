package import Vigil

extension DatabaseWriter {
    /// Waits until all fetches for the commits so far have run, except for paused observations.
    package func waitForFetches() throws {
        repeat {
            // The barrier waits for all readers, so those that fetch have been returned.
            try barrierWriteWithoutTransaction { _ in }
        } while observations.contains { $0.phase != .observing && $0.phase != .paused }
    }
}
