import Dispatch
import Foundation

/// Converts signals, and the end of the duration, to events, and forwards signals to the running command.
struct Signals {
    private static let exitTimeout = DispatchTimeInterval.milliseconds(1500)

    /// Whether the tool was started to ignore the end of the terminal session, as by `nohup`.
    static let ignoresHangUps: Bool = {
        let inherited = signal(SIGHUP, SIG_IGN)
        signal(SIGHUP, inherited)
        return unsafeBitCast(inherited, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }()

    /// Ends the watch, and the running command.
    ///
    /// If the main thread does not handle the end in time, because it waits for the command or for a reader that has
    /// stopped reading, the process exits without it.
    let end: @Sendable () -> Void

    private let queue = DispatchQueue(label: "vigil.signals")
    private var sources: [any DispatchSourceProtocol] = []

    /// - Parameters:
    ///   - screen: The terminal to restore, if any.
    ///   - command: The command that is run for each result, if any.
    ///   - duration: The number of seconds after which the watch ends, or `nil` if it is unlimited.
    init(events: WatchEvents, screen: TerminalScreen?, command: ShellCommand?, duration: Double?) {
        let queue = queue
        end = {
            events.add(.ended)
            command?.terminate()
            queue.asyncAfter(deadline: .now() + Self.exitTimeout) {
                screen?.close()
                command?.terminate()
                _exit(0)
            }
        }
        // A reader that closes the output is detected by a failing write.
        signal(SIGPIPE, SIG_IGN)
        on([SIGINT, SIGTERM], end)
        if screen != nil {
            on([SIGQUIT], end)
            on([SIGWINCH]) { events.add(.resized) }
            on([SIGTSTP]) { events.add(.suspended) }
        }
        if let command { forward(to: command) }
        if let duration {
            let longest: Double = 1_000_000_000
            queue.asyncAfter(deadline: .now() + min(duration, longest), execute: end)
        }
    }

    /// Handles the signals of the terminal that would end or stop the tool, but not the command.
    private mutating func forward(to command: ShellCommand) {
        // If the parent ignores the signal of ended processes, so does the tool: their status would be lost.
        signal(SIGCHLD, SIG_DFL)
        on(Self.ignoresHangUps ? [SIGQUIT] : [SIGQUIT, SIGHUP], end)
        on([SIGTSTP]) {
            command.send(SIGTSTP)
            kill(getpid(), SIGSTOP)
        }
        on([SIGCONT]) { command.send(SIGCONT) }
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
