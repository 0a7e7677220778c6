import Dispatch
import Foundation

/// Converts signals, and the end of the duration, to events.
///
/// If the main thread does not handle the end in time, because it waits for a reader that has stopped reading,
/// the process exits without it.
struct Signals {
    private static let exitTimeout = DispatchTimeInterval.milliseconds(1500)

    private let queue = DispatchQueue(label: "vigil.signals")
    private var sources: [any DispatchSourceProtocol] = []

    /// - Parameters:
    ///   - screen: The terminal to restore, if any.
    ///   - duration: The number of seconds after which the watch ends, or `nil` if it is unlimited.
    ///   - interrupt: Called when the watch must end, so that the main thread can handle the end.
    init(
        events: WatchEvents, screen: TerminalScreen?, duration: Double?,
        interrupt: @escaping @Sendable () -> Void
    ) {
        // A reader that closes the output is detected by a failing write.
        signal(SIGPIPE, SIG_IGN)
        let queue = queue
        let end: @Sendable () -> Void = {
            events.add(.ended)
            interrupt()
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

    /// Starts handling signals. Signals are lost between `SIG_IGN` and the registration of the handler, which happens
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
