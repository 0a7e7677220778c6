import Dispatch
import Vigil
import XCTest

/// Delivers the initial value before `start` returns, so that no commit can precede it, and the later ones on
/// a queue.
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
