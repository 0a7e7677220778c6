import Synchronization

/// Returns consecutive numbers, starting at 1. It can be used from any thread.
final class Counter: Sendable {
    private let last = Mutex(0)

    func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
