import Foundation
import Synchronization

/// Thrown when a command cannot be started, or does not exit with status 0.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String
}

/// A command for `/bin/sh`, which inherits standard output and standard error.
///
/// It runs in a process group of its own, so that signals reach all processes that it starts. The terminal sends signals
/// to the tool only: ``Signals`` forwards them.
///
/// It is not run with `Process`, whose children inherit the signals that the tool ignores.
final class ShellCommand: Sendable {
    private struct State {
        /// The running process, which leads the process group. Both numbers remain in use until it is `nil`.
        var process: pid_t?
        var isTerminated = false
    }

    private let command: String
    private let state = Mutex(State())

    init(_ command: String) {
        self.command = command
    }

    /// Runs the command to its end, and passes `input` to its standard input. It need not read it.
    ///
    /// - Throws: ``CommandFailure`` if the command cannot be started or does not exit with status 0, `Failure` if
    ///   `input` cannot be passed to it.
    func run(input: String) throws {
        let writer = try start()
        let passed = Result { try pass(input, to: writer) }
        let ended = Result { try waitForEnd() }
        try passed.get()
        try check(status: ended.get())
    }

    /// Ends the command with all processes that it started, and keeps it from starting again.
    ///
    /// A process that is started at this moment may not receive the signal: see ``terminateRest(of:)``.
    func terminate() {
        state.withLock { state in
            state.isTerminated = true
            if let process = state.process { _ = Self.terminate(group: process) }
        }
    }

    /// Sends the signal for the end to a process group, and returns whether the group exists.
    private static func terminate(group: pid_t) -> Bool {
        let exists = kill(-group, SIGTERM) == 0
        // A stopped process receives the signal when it continues.
        kill(-group, SIGCONT)
        return exists
    }

    /// Ends the processes that remain in a group whose leader has ended.
    ///
    /// Shells block signals while they start a process, and their traps catch those that arrive before it runs its own
    /// program, so that processes started at the end may have missed the signal. Numbers of ended groups are not used
    /// again in such a short time.
    private static func terminateRest(of group: pid_t) {
        for _ in 0..<5 where terminate(group: group) { _ = poll(nil, 0, 20) }
    }

    /// Sends a signal to the command and all processes that it started, if it is running.
    func send(_ signal: Int32) {
        state.withLock { state in
            if let process = state.process { kill(-process, signal) }
        }
    }

    // MARK: - Start

    /// Starts the command, and returns the descriptor of its input, which the caller closes.
    private func start() throws -> Int32 {
        let (reader, writer) = try makePipe()
        defer { close(reader) }
        do {
            try state.withLock { state in
                if state.isTerminated { throw failure("the command is not started at the end of the watch") }
                state.process = try spawn(standardInput: reader)
            }
        } catch {
            close(writer)
            throw error
        }
        return writer
    }

    private func spawn(standardInput: Int32) throws -> pid_t {
        #if canImport(Darwin)
            var (attributes, actions): (posix_spawnattr_t?, posix_spawn_file_actions_t?)
        #else
            var (attributes, actions) = (posix_spawnattr_t(), posix_spawn_file_actions_t())
        #endif
        posix_spawnattr_init(&attributes)
        posix_spawn_file_actions_init(&actions)
        defer {
            posix_spawnattr_destroy(&attributes)
            posix_spawn_file_actions_destroy(&actions)
        }
        var defaults = sigset_t()
        sigfillset(&defaults)
        if Signals.ignoresHangUps { sigdelset(&defaults, SIGHUP) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        posix_spawn_file_actions_adddup2(&actions, standardInput, STDIN_FILENO)

        let arguments = ["sh", "-c", command].map(Self.copy)
        let environment = ProcessInfo.processInfo.environment.map { Self.copy("\($0)=\($1)") }
        defer { for text in arguments + environment { free(text) } }
        var process = pid_t()
        let code = posix_spawn(
            &process, "/bin/sh", &actions, &attributes, arguments + [nil], environment + [nil])
        guard code == 0 else { throw startFailure(code) }
        return process
    }

    /// Returns a C string, which the caller frees.
    private static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? { strdup(text) }

    /// Creates a pipe that other processes do not inherit.
    private func makePipe() throws -> (reader: Int32, writer: Int32) {
        var descriptors: [Int32] = [0, 0]
        guard pipe(&descriptors) == 0 else { throw startFailure(errno) }
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return (descriptors[0], descriptors[1])
    }

    private func pass(_ input: String, to writer: Int32) throws {
        defer { close(writer) }
        do {
            try Output(descriptor: writer).write(input)
        } catch is Output.ReaderGone {}
    }

    // MARK: - End

    /// Waits for the end of the process, and returns its status.
    private func waitForEnd() throws -> Int32 {
        var usesTerminal = false
        while let process = state.withLock({ $0.process }) {
            // The process is released below, with the lock: `send` must not signal another one with the same number.
            var information = siginfo_t()
            _ = waitid(P_PID, id_t(process), &information, WEXITED | WSTOPPED | WNOWAIT)
            guard let status = try releasedStatus(of: process) else { continue }
            if let signal = Self.stopSignal(status) {
                // The terminal stops background processes that use it. Nothing would continue the command.
                guard signal == SIGTTIN || signal == SIGTTOU else { continue }
                usesTerminal = true
                send(SIGKILL)
            } else if usesTerminal {
                throw failure("the command was ended because it cannot use the terminal")
            } else {
                if state.withLock({ $0.isTerminated }) { Self.terminateRest(of: process) }
                return status
            }
        }
        return 0
    }

    /// Returns the status of the process if it has changed. Forgets the process if it has ended.
    private func releasedStatus(of process: pid_t) throws -> Int32? {
        try state.withLock { state in
            var status: Int32 = 0
            switch waitpid(process, &status, WUNTRACED | WNOHANG) {
            case process:
                if Self.stopSignal(status) == nil { state.process = nil }
                return status
            case -1 where errno != EINTR:
                state.process = nil
                throw failure("the status of the command is not known: \(String(cString: strerror(errno)))")
            default: return nil
            }
        }
    }

    /// Returns the signal that has stopped a process, or `nil` if the process has ended.
    private static func stopSignal(_ status: Int32) -> Int32? {
        status & 0xff == 0x7f ? (status >> 8) & 0xff : nil
    }

    private func check(status: Int32) throws {
        let signal = status & 0x7f
        guard signal == 0 else { throw failure("the command was ended by signal \(signal)") }
        let exitStatus = (status >> 8) & 0xff
        guard exitStatus == 0 else { throw failure("the command exited with status \(exitStatus)") }
    }

    // MARK: - Failures

    private func startFailure(_ code: Int32) -> CommandFailure {
        CommandFailure(description: "cannot run the command: \(String(cString: strerror(code)))")
    }

    private func failure(_ reason: String) -> CommandFailure {
        CommandFailure(description: "\(reason): \(command)")
    }
}
