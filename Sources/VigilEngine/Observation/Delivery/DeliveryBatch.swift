import Dispatch
import Synchronization

/// Deliveries of one round of fetches, which are scheduled together: those to the same queue become one
/// block, in their order.
///
/// It is flushed before each fetch, so that no value waits for the fetch of another one: a block consists of
/// the values of observers that share a fetch. It is also flushed when it is full, and at the end of the
/// round. What is added afterwards is scheduled immediately. It is used by the thread of the round, which
/// keeps the order.
final class DeliveryBatch: Sendable {
    typealias Action = @Sendable () -> Void

    private struct State {
        /// The deliveries to the queue of the last one.
        var queue: DispatchQueue?
        var actions: [Action] = []
        var isEnded = false
    }

    /// The number of deliveries in a block. Blocks are limited so that other work on the queue, such as
    /// drawing, can run in between.
    static let limit = 64

    private let state = Mutex(State())

    func add(to queue: DispatchQueue, _ action: @escaping Action) {
        let full = state.withLock { state -> (queue: DispatchQueue, actions: [Action])? in
            if state.isEnded { return (queue, [action]) }
            guard state.queue === queue, state.actions.count < Self.limit else {
                let full = state.queue.map { ($0, state.actions) }
                state.queue = queue
                state.actions = [action]
                return full
            }
            state.actions.append(action)
            return nil
        }
        if let full { Self.schedule(full.actions, on: full.queue) }
    }

    /// Schedules the deliveries. Called before each fetch.
    func flush() { takeAll(isEnded: false) }

    /// Schedules the deliveries. Called once, at the end of the round.
    func end() { takeAll(isEnded: true) }

    private func takeAll(isEnded: Bool) {
        let rest = state.withLock { state in
            defer { state = State(isEnded: isEnded) }
            return (queue: state.queue, actions: state.actions)
        }
        if let queue = rest.queue { Self.schedule(rest.actions, on: queue) }
    }

    private static func schedule(_ actions: [Action], on queue: DispatchQueue) {
        guard let first = actions.first else { return }
        guard actions.count > 1 else { return queue.async(execute: first) }
        queue.async {
            for action in actions { action() }
        }
    }
}
