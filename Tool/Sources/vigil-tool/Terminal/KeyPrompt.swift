import Dispatch
import Foundation

/// Asks for a key on the terminal, without showing it.
struct KeyPrompt {
    /// The characters typed so far.
    struct Line: Equatable {
        enum Answer: Equatable {
            case more
            case end
            /// The person pressed Ctrl-C, or closed the input.
            case cancelled
        }

        private(set) var bytes: [UInt8] = []

        /// Adds a byte from the terminal in raw mode.
        mutating func accept(_ byte: UInt8) -> Answer {
            switch byte {
            case 0x0a, 0x0d: return .end
            case 0x03: return .cancelled
            case 0x04: return bytes.isEmpty ? .cancelled : .end
            case 0x08, 0x7f:
                // Removes a character of one or more bytes.
                while let last = bytes.popLast(), last & 0xc0 == 0x80 {}
            case 0x15: bytes = []
            default: bytes.append(byte)
            }
            return .more
        }
    }

    /// Whether a person can be asked: standard input and standard error are terminals.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Asks for a key.
    ///
    /// - Throws: `Failure` if the person cancels, or if the terminal would show the key.
    static func read(_ question: String) throws -> String {
        var line = Line()
        let answer = try withoutEcho { () -> Line.Answer in
            // The terminal shows text typed before this, and discards it when the echo is turned off.
            try Output.standardError.write(TerminalText.safe(question) + ": ")
            var byte: UInt8 = 0
            while true {
                let count = Foundation.read(STDIN_FILENO, &byte, 1)
                if count < 0, errno == EINTR { continue }
                let answer = count <= 0 ? .cancelled : line.accept(byte)
                if answer != .more { return answer }
            }
        }
        try Output.standardError.write("\n")
        guard answer == .end else { throw Failure("no key was given") }
        guard let key = String(validating: line.bytes, as: UTF8.self) else {
            throw Failure("the key that was typed is not valid UTF-8")
        }
        return key
    }

    /// Asks for a new key twice.
    ///
    /// - Throws: `Failure` if the answers differ, or if the person cancels.
    static func readNew() throws -> String {
        let key = try read("New key")
        guard try read("New key again") == key else { throw Failure("the two keys differ") }
        return key
    }

    /// Runs `body` while the terminal sends each byte at once, shows none, and Ctrl-C is a byte. The terminal
    /// is restored before a signal ends the process. Throws `Failure` if the echo cannot be turned off.
    private static func withoutEcho<T>(_ body: () throws -> T) throws -> T {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw Failure("cannot hide the key on this terminal")
        }
        let saved = settings
        let signals = EndingSignals { [saved] in
            var saved = saved
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
        }
        defer { signals.cancel() }
        var raw = settings
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0 else {
            throw Failure("cannot hide the key on this terminal")
        }
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
        return try body()
    }
}

/// Runs an action before a signal ends the process.
private struct EndingSignals {
    private let sources: [(number: Int32, source: any DispatchSourceProtocol)]

    /// Whether the tool was started to ignore the end of the terminal session, as by `nohup`.
    private static let ignoresHangUps: Bool = {
        let inherited = signal(SIGHUP, SIG_IGN)
        signal(SIGHUP, inherited)
        return unsafeBitCast(inherited, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }()

    init(_ action: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "vigil.key-prompt")
        let numbers =
            Self.ignoresHangUps ? [SIGINT, SIGTERM, SIGQUIT] : [SIGINT, SIGTERM, SIGQUIT, SIGHUP]
        sources = numbers.map { number in
            let isRegistered = DispatchSemaphore(value: 0)
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                action()
                _exit(128 + number)
            }
            source.setRegistrationHandler { isRegistered.signal() }
            source.resume()
            isRegistered.wait()
            return (number, source)
        }
    }

    func cancel() {
        for (number, source) in sources {
            source.cancel()
            signal(number, SIG_DFL)
        }
    }
}
