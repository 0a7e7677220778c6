import Synchronization
import Vigil

/// The events that one browser has not received yet: the newest of each kind.
///
/// A browser that reads slowly skips outdated events, and does not make the server buffer them.
final class Mailbox: Sendable {
    private struct State {
        var board: String?
        var status: String?
        var failure: String?
        /// The newest list that has not been sent.
        var list: ObservedList<Run>?
        /// The list that the browser shows.
        var sentList: ObservedList<Run>?
        var needsKeepAlive = false
        /// The first event is the board, which is all that a browser needs after a reconnection.
        var hasSentBoard = false
        var isFinished = false

        mutating func next() -> Next {
            if isFinished, failure == nil { return Next(isEnd: true) }
            let endsWithFailure = failure != nil
            var next = Next(text: take(), sentList: sentList)
            if let list, !endsWithFailure {
                next.list = list
                (self.list, sentList) = (nil, list)
            }
            return next
        }

        mutating func take() -> String {
            if let failure {
                self.failure = nil
                return failure
            }
            let isIdle = board == nil && status == nil && list == nil
            var text = needsKeepAlive && isIdle ? ServerSentEvent.keepAlive : ""
            needsKeepAlive = false
            if let board {
                text += board
                hasSentBoard = true
                self.board = nil
            }
            if hasSentBoard, let status {
                text += status
                self.status = nil
            }
            return text
        }
    }

    /// The events that are sent next. They are taken with the lock, and encoded without it.
    private struct Next {
        var text = ""
        var list: ObservedList<Run>?
        /// The list that the browser shows.
        var sentList: ObservedList<Run>?
        var isEnd = false
    }

    private let state = Mutex(State())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Replaces the board that has not been sent.
    func put(board event: String) {
        update { $0.board = event }
    }

    /// Replaces the status that has not been sent.
    func put(status event: String) {
        update { $0.status = event }
    }

    /// Replaces the list that has not been sent.
    ///
    /// A list is a value that shares its parts with other versions. The browser receives its difference from
    /// the list that was sent before, whatever was skipped in between.
    func put(list: ObservedList<Run>) {
        update { $0.list = list }
    }

    /// Requests a comment, unless an event is sent anyway.
    func keepAlive() {
        update { $0.needsKeepAlive = true }
    }

    /// Ends the stream after a last event.
    func fail(_ event: String) {
        update {
            $0.failure = event
            $0.isFinished = true
        }
    }

    /// Ends the stream.
    func finish() {
        update { $0.isFinished = true }
    }

    /// Returns the text to send, as soon as there is some, or `nil` after the end. Only one task may call it.
    func next() async -> String? {
        var iterator = signals.makeAsyncIterator()
        while true {
            let next = state.withLock { $0.next() }
            var text = next.text
            if let list = next.list { text += RunList.event(list, since: next.sentList) }
            if !text.isEmpty { return text }
            // A signal is missing only if the task is cancelled.
            if next.isEnd { return nil }
            guard await iterator.next() != nil else { return nil }
        }
    }

    private func update(_ change: (inout State) -> Void) {
        state.withLock { state in
            if !state.isFinished { change(&state) }
        }
        signal.yield()
    }
}
