import Dispatch
import Foundation

/// Converts signals, and the end of the duration, to events.
struct Signals {
    private static let exitTimeout = DispatchTimeInterval.milliseconds(1500)

    /// Ends the watch.
    ///
    /// If the main thread does not handle the end in time, because it waits for a reader of the output,
    /// the process exits without it.
    let end: @Sendable () -> Void

    private let queue = DispatchQueue(label: "vigil.signals")
    private var sources: [any DispatchSourceProtocol] = []

    /// - Parameters:
    ///   - screen: The terminal to restore, if any.
    ///   - duration: The duration of the watch in seconds, or `nil` if it is unlimited.
    init(events: WatchEvents, screen: TerminalScreen?, duration: Double?) {
        let queue = queue
        end = {
            events.add(.ended)
            queue.asyncAfter(deadline: .now() + Self.exitTimeout) {
                screen?.close()
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

    /// Starts handling signals. Signals are lost between `SIG_IGN` and the registration of the handler
    /// on another thread, so this method waits for the registration.
    private mutating func on(_ numbers: [Int32], _ action: @escaping @Sendable () -> Void) {
        for number in numbers {
            let isRegistered = DispatchSemaphore(value: 0)
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler(handler: action)
            source.setRegistrationHandler { isRegistered.signal() }
            source.resume()
            isRegistered.wait()
            sources.append(source)
        }
    }
}
