import Synchronization

/// Values that arrive on any thread, in order.
final class Values<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    func append(_ value: Value) { values.withLock { $0.append(value) } }

    @discardableResult
    func removeLast() -> Value? { values.withLock { $0.popLast() } }

    var all: [Value] { values.withLock { $0 } }
}
