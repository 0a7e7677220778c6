import Dispatch
import Synchronization

/// Deliveries of one round of fetches, which are scheduled together: those to the same queue become one block, in their
/// order.
///
/// It is flushed after the round, or when it is full, so that a long round does not delay its first values. What is added
/// after the end of the round is scheduled immediately.
final class DeliveryBatch: Sendable {
    typealias Action = @Sendable () -> Void

    private struct State {
        /// The deliveries to the queue of the last one.
        var queue: DispatchQueue?
        var actions: [Action] = []
        var isEnded = false
    }

    /// The number of deliveries in a block. Blocks are limited so that other work on the queue, such as drawing, can run
    /// in between.
    static let limit = 64

    private let state = Mutex(State())

    /// Adds a delivery.
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

    /// Schedules the deliveries. Called once, at the end of the round.
    func end() {
        let rest = state.withLock { state in
            defer { state = State(isEnded: true) }
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
