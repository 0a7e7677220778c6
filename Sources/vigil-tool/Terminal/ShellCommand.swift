import Foundation
import Synchronization

/// Thrown when a command does not exit with status 0.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String
    /// Whether Ctrl-C ended the command. The terminal sends the signal to the tool too, which may receive it later.
    var isInterrupted = false
}

/// A command for `/bin/sh`, which inherits standard output and standard error.
///
/// It is not run with `Process`, whose children inherit the signals that the tool ignores.
final class ShellCommand: Sendable {
    private let command: String
    /// The running process, which cannot be replaced by another one with the same number until it is `nil`.
    private let process = Mutex<pid_t?>(nil)

    init(_ command: String) {
        self.command = command
    }

    /// Runs the command to its end, and passes `input` to its standard input. It need not read it.
    ///
    /// - Throws: ``CommandFailure`` if the command does not exit with status 0, `Failure` if it cannot be started.
    func run(input: String) throws {
        let (reader, writer) = try Self.makePipe()
        do {
            let process = try start(standardInput: reader)
            self.process.withLock { $0 = process }
            close(reader)
        } catch {
            close(reader)
            close(writer)
            throw error
        }
        do {
            try Output(descriptor: writer).write(input)
        } catch is Output.ReaderGone {}
        close(writer)
        try check(status: waitForEnd())
    }

    /// Ends the command, if it is running.
    func terminate() {
        process.withLock { process in
            if let process { kill(process, SIGTERM) }
        }
    }

    private func start(standardInput: Int32) throws -> pid_t {
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
        var all = sigset_t()
        sigfillset(&all)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        posix_spawn_file_actions_adddup2(&actions, standardInput, STDIN_FILENO)

        let arguments = ["sh", "-c", command].map(Self.copy)
        let environment = ProcessInfo.processInfo.environment.map { Self.copy("\($0)=\($1)") }
        defer { for text in arguments + environment { free(text) } }
        var process = pid_t()
        let code = posix_spawn(
            &process, "/bin/sh", &actions, &attributes, arguments + [nil], environment + [nil])
        guard code == 0 else {
            throw Failure("cannot run the command: \(String(cString: strerror(code)))")
        }
        return process
    }

    /// Returns a C string, which the caller frees.
    private static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? { strdup(text) }

    /// Waits for the end of the process, and returns its status.
    private func waitForEnd() -> Int32 {
        guard let number = process.withLock({ $0 }) else { return 0 }
        // The process is removed in two steps: `terminate` must not signal another one with the same number.
        var information = siginfo_t()
        while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return process.withLock { process in
            process = nil
            var status: Int32 = 0
            while waitpid(number, &status, 0) < 0, errno == EINTR {}
            return status
        }
    }

    private func check(status: Int32) throws {
        let signal = status & 0x7f
        guard signal == 0 else {
            throw CommandFailure(
                description: "the command was ended by signal \(signal): \(command)",
                isInterrupted: signal == SIGINT)
        }
        let exitStatus = (status >> 8) & 0xff
        guard exitStatus == 0 else {
            throw CommandFailure(description: "the command exited with status \(exitStatus): \(command)")
        }
    }

    /// Creates a pipe that other processes do not inherit.
    private static func makePipe() throws -> (reader: Int32, writer: Int32) {
        var descriptors: [Int32] = [0, 0]
        guard pipe(&descriptors) == 0 else {
            throw Failure("cannot run the command: \(String(cString: strerror(errno)))")
        }
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return (descriptors[0], descriptors[1])
    }
}
