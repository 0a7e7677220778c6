import Dispatch
import Synchronization

enum WatchEvent {
    /// Only the initial result will come: the query reads nothing that is observed.
    case unobservable
    case result(QueryResult)
    case failed(any Error)
    /// The database cannot be read for now, for the reason that the text gives.
    case waiting(String)
    /// The terminal has another size.
    case resized
    /// The user wants the process to stop for now.
    case suspended
    /// It is enough.
    case ended
}

/// What has happened and was not dealt with yet: never more than two results, the initial one and the newest.
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

    /// The most urgent one. Results come before the error that ends them.
    mutating func next() -> WatchEvent? {
        if isEnded { return .ended }
        if take(&isSuspended) { return .suspended }
        if take(&isUnobservable) { return .unobservable }
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
        return take(&isResized) ? .resized : nil
    }

    private func take(_ flag: inout Bool) -> Bool {
        defer { flag = false }
        return flag
    }
}

/// Hands events from any thread to the one that waits for them.
final class WatchEvents: Sendable {
    private let pending = Mutex(PendingEvents())
    private let signal = DispatchSemaphore(value: 0)

    func add(_ event: WatchEvent) {
        pending.withLock { $0.add(event) }
        signal.signal()
    }

    /// The next event, when there is one.
    func next() -> WatchEvent {
        while true {
            if let event = pending.withLock({ $0.next() }) { return event }
            signal.wait()
        }
    }
}
