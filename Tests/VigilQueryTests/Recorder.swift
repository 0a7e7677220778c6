import Dispatch
import Synchronization
import Vigil
import XCTest

/// Values that arrive on any thread, in order, and that a test can wait for.
final class Recorder<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])
    private let arrival = DispatchSemaphore(value: 0)

    var all: [Value] { state.withLock { $0 } }

    func append(_ value: Value) {
        state.withLock { $0.append(value) }
        arrival.signal()
    }

    /// Waits for `count` values altogether, and returns all of them. The values must not need the main queue.
    func wait(count: Int, file: StaticString = #filePath, line: UInt = #line) -> [Value] {
        while all.count < count {
            guard arrival.wait(timeout: .now() + 60) == .success else {
                XCTFail("not yet: \(all)", file: file, line: line)
                break
            }
        }
        return all
    }
}

/// Delivers the initial value before `start` returns, so that no commit can precede it, and the later ones on a
/// queue.
private struct RecordingScheduler: ValueObservationScheduler {
    let queue = DispatchQueue(label: "callbacks")

    func immediateInitialValue() -> Bool { true }
    func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
}

/// Starts an observation. Its initial value is recorded at once, and the later ones on a dispatch queue.
func record<Reducer: ValueReducer>(
    _ observation: ValueObservation<Reducer>, in reader: any DatabaseReader
) -> (values: Recorder<Reducer.Value>, cancellable: AnyDatabaseCancellable) {
    let values = Recorder<Reducer.Value>()
    let cancellable = observation.start(
        in: reader, scheduling: RecordingScheduler(), onError: { XCTFail("\($0)") },
        onChange: { values.append($0) })
    return (values, cancellable)
}
