import Foundation
import XCTest

#if os(Linux) || os(macOS)
    /// A finished run of a program, with a temporary directory of its own.
    struct SampleRun {
        let output: String
        let errors: String
        let status: Int32

        /// A time limit, in seconds. A program that exceeds it is ended.
        private static let timeout: TimeInterval = 60
        /// The time, in seconds, after which a program that does not react to the end is killed.
        private static let terminationTimeout: TimeInterval = 10

        /// Runs the executable of a snippet, which `swift build` places next to the tests.
        init(of name: String) throws {
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
            let folder = (bundle ?? URL(fileURLWithPath: CommandLine.arguments[0]))
                .deletingLastPathComponent()
            try self.init(executable: folder.appendingPathComponent(name))
        }

        init(executable: URL, _ arguments: [String] = []) throws {
            let files = FileManager.default
            let folder = files.temporaryDirectory.appendingPathComponent(
                "sample-\(UUID())", isDirectory: true)
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? files.removeItem(at: folder) }
            let process = Process()
            process.executableURL = executable
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path + "/"]) {
                $1
            }
            process.standardInput = FileHandle.nullDevice
            // Files, because a pipe that is not read while the program runs can fill up.
            let texts = ["output", "errors"].map(folder.appendingPathComponent)
            for text in texts { try Data().write(to: text) }
            process.standardOutput = try FileHandle(forWritingTo: texts[0])
            process.standardError = try FileHandle(forWritingTo: texts[1])
            let ended = DispatchSemaphore(value: 0)
            process.terminationHandler = { _ in ended.signal() }
            try process.run()
            if ended.wait(timeout: .now() + Self.timeout) == .timedOut {
                process.terminate()
                if ended.wait(timeout: .now() + Self.terminationTimeout) == .timedOut {
                    kill(process.processIdentifier, SIGKILL)
                    ended.wait()
                }
            }
            output = try String(contentsOf: texts[0], encoding: .utf8)
            errors = try String(contentsOf: texts[1], encoding: .utf8)
            status = process.terminationStatus
        }
    }
#endif
