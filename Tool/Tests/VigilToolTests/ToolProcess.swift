import Foundation
import Synchronization
import XCTest

/// A running process of the tool.
final class ToolProcess {
    struct Ending: Equatable {
        let status: Int32
        /// The output that was not read by ``line()``.
        let output: String
        let error: String
    }

    struct TooLate: Error {}

    /// A time limit, in seconds, that covers the polling for changes by other processes.
    static let timeout: TimeInterval = 60

    private let process = Process()
    private let output = CollectedOutput()
    private let error = CollectedOutput()
    private let ended = DispatchSemaphore(value: 0)

    /// The URL of the tool, which is built next to the tests.
    private static var tool: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        return (bundle ?? URL(fileURLWithPath: CommandLine.arguments[0]))
            .deletingLastPathComponent().appendingPathComponent("vigil")
    }

    /// - Parameters:
    ///   - standardOutput: The standard output. By default, a pipe that ``line()`` reads from.
    ///   - standardError: The standard error. By default, a pipe.
    ///   - standardInput: The standard input. By default, it is empty.
    ///   - directory: The working directory.
    ///   - launcher: A program, with its arguments, that runs the tool.
    init(
        _ arguments: [String], environment: [String: String] = [:], to standardOutput: FileHandle? = nil,
        errorsTo standardError: FileHandle? = nil, from standardInput: FileHandle? = nil,
        directory: URL? = nil, launcher: [String] = []
    ) throws {
        let command = launcher + [Self.tool.path] + arguments
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        if let directory { process.currentDirectoryURL = directory }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = standardInput ?? FileHandle.nullDevice
        if let standardError {
            process.standardError = standardError
        } else {
            process.standardError = error.pipe
        }
        if let standardOutput {
            process.standardOutput = standardOutput
        } else {
            process.standardOutput = output.pipe
        }
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
        if standardError == nil { error.collect() }
        if standardOutput == nil { output.collect() }
    }

    /// Runs the tool, and waits until it has ended.
    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Ending {
        try ToolProcess(arguments, environment: environment).end()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Waits for the next line of the output, and returns it without its terminator.
    func line() throws -> String { try output.line() }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    var hasEnded: Bool { !process.isRunning }

    /// Waits until the tool has ended.
    func end() throws -> Ending {
        guard ended.wait(timeout: .now() + Self.timeout) == .success else { throw TooLate() }
        let output = process.standardOutput is Pipe ? try output.rest() : ""
        let error = process.standardError as? Pipe === self.error.pipe ? try self.error.rest() : ""
        return Ending(status: process.terminationStatus, output: output, error: error)
    }
}

/// The data received from a pipe.
final class CollectedOutput: Sendable {
    private struct State {
        var data = Data()
        var isAtEnd = false
    }

    let pipe = Pipe()
    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)

    /// Starts collecting. Call this when the process has opened the other end.
    func collect() {
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
            while let data = try? handle.read(upToCount: 1), !data.isEmpty {
                state.withLock { $0.data += data }
                if data.first == UInt8(ascii: "\n") { news.signal() }
            }
            state.withLock { $0.isAtEnd = true }
            news.signal()
        }
    }

    func line() throws -> String {
        while true {
            // One step looks for both: the last line may arrive just before the end.
            let (line, isAtEnd) = state.withLock { state -> (Data?, Bool) in
                guard let end = state.data.firstIndex(of: UInt8(ascii: "\n")) else {
                    return (nil, state.isAtEnd)
                }
                defer { state.data = Data(state.data[(end + 1)...]) }
                return (Data(state.data[..<end]), state.isAtEnd)
            }
            if let line { return String(decoding: line, as: UTF8.self) }
            if isAtEnd { throw ToolProcess.TooLate() }
            try wait()
        }
    }

    func rest() throws -> String {
        while !state.withLock({ $0.isAtEnd }) { try wait() }
        return state.withLock { String(decoding: $0.data, as: UTF8.self) }
    }

    private func wait() throws {
        guard news.wait(timeout: .now() + ToolProcess.timeout) == .success else {
            throw ToolProcess.TooLate()
        }
    }
}
