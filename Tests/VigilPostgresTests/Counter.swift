import Synchronization

/// The numbers with which a closure was called.
final class Counter: Sendable {
    private let state = Mutex<[Int]>([])

    var values: [Int] { state.withLock { $0 } }

    func add(_ value: Int) { state.withLock { $0.append(value) } }
}
