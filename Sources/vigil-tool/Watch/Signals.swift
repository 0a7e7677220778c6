import Dispatch
import Foundation

/// Turns signals, and the end of the time, into events.
///
/// If the main thread does not come to deal with the end, because it waits for a reader that reads no more, the
/// process ends without it.
struct Signals {
    private static let patience = DispatchTimeInterval.milliseconds(1500)

    private let queue = DispatchQueue(label: "vigil.signals")
    private var sources: [any DispatchSourceProtocol] = []

    /// - Parameters:
    ///   - screen: the terminal that is drawn on, if one is.
    ///   - duration: after how many seconds it is enough.
    init(events: WatchEvents, screen: TerminalScreen?, duration: Double?) {
        // Whoever stops reading is noticed when writing fails.
        signal(SIGPIPE, SIG_IGN)
        let queue = queue
        let end: @Sendable () -> Void = {
            events.add(.ended)
            queue.asyncAfter(deadline: .now() + Self.patience) {
                screen?.leave()
                _exit(0)
            }
        }
        on([SIGINT, SIGTERM], end)
        if screen != nil {
            on([SIGQUIT], end)
            on([SIGWINCH]) { events.add(.resized) }
            on([SIGTSTP]) { events.add(.suspended) }
        }
        if let duration {
            let longest: Double = 1_000_000_000
            queue.asyncAfter(deadline: .now() + min(duration, longest), execute: end)
        }
    }

    /// Begins to take signals. One that came between its being ignored and its being taken would be lost, so this waits
    /// for the latter, which happens on another thread.
    private mutating func on(_ numbers: [Int32], _ action: @escaping @Sendable () -> Void) {
        for number in numbers {
            let isTaken = DispatchSemaphore(value: 0)
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler(handler: action)
            source.setRegistrationHandler { isTaken.signal() }
            source.resume()
            isTaken.wait()
            sources.append(source)
        }
    }
}
