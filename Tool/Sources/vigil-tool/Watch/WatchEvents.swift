import Dispatch
import Synchronization

enum WatchEvent {
    /// The query reads nothing observable: only the initial result is delivered.
    case unobservable
    case result(QueryResult)
    case failed(any Error)
    /// The database cannot be read at the moment. The text is the reason.
    case waiting(String)
    /// The terminal was resized.
    case resized
    /// The user has suspended the process.
    case suspended
    /// The watch must end.
    case ended
}

/// Pending events, with at most two results: the initial one and the newest.
struct PendingEvents {
    private var initial: QueryResult?
    private var newest: QueryResult?
    private var hadInitial = false
    private var failure: (any Error)?
    private var note: String?
    private var isUnobservable = false
    private var isResized = false
    private var isSuspended = false
    private var isEnded = false

    mutating func add(_ event: WatchEvent) {
        switch event {
        case .result(let result):
            note = nil
            if hadInitial { newest = result } else { initial = result }
            hadInitial = true
        case .failed(let error): failure = error
        case .waiting(let text): note = text
        case .unobservable: isUnobservable = true
        case .resized: isResized = true
        case .suspended: isSuspended = true
        case .ended: isEnded = true
        }
    }

    /// Removes and returns the most urgent event. Results precede the error that ended the observation.
    mutating func next() -> WatchEvent? {
        if isEnded { return .ended }
        if consume(&isSuspended) { return .suspended }
        if consume(&isUnobservable) { return .unobservable }
        if let result = initial {
            initial = nil
            return .result(result)
        }
        if let result = newest {
            newest = nil
            return .result(result)
        }
        if let text = note {
            note = nil
            return .waiting(text)
        }
        if let failure { return .failed(failure) }
        return consume(&isResized) ? .resized : nil
    }

    private func consume(_ flag: inout Bool) -> Bool {
        defer { flag = false }
        return flag
    }
}

/// Passes events from any thread to the main thread.
final class WatchEvents: Sendable {
    private let pending = Mutex(PendingEvents())
    private let signal = DispatchSemaphore(value: 0)

    func add(_ event: WatchEvent) {
        pending.withLock { $0.add(event) }
        signal.signal()
    }

    func next() -> WatchEvent {
        while true {
            if let event = pending.withLock({ $0.next() }) { return event }
            signal.wait()
        }
    }
}
