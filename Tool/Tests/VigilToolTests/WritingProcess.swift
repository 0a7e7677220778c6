import Foundation
import Vigil
import XCTest

/// A process that commits rows to `player` until it is killed, or has committed a given number of rows.
///
/// The process runs the test executable itself, with an environment that makes ``testWriter()`` write.
final class WritingProcess: XCTestCase {
    private static let pathVariable = "VIGIL_WRITER_PATH"
    private static let countVariable = "VIGIL_WRITER_COUNT"
    private static let acknowledgement = "committed"

    #if os(Linux)
        /// Runs a writer until it ends, or kills it during a transaction.
        ///
        /// - Parameters:
        ///   - count: The number of commits, or `nil` to kill the process during a transaction.
        /// - Returns: The number of commits that were acknowledged.
        static func run(_ path: String, committing count: Int?) throws -> Int {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["VigilToolTests.WritingProcess/testWriter"]
            process.environment = ProcessInfo.processInfo.environment.merging([
                pathVariable: path, countVariable: count.map { "\($0)" } ?? "",
            ]) { $1 }
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            try process.run()
            try output.fileHandleForWriting.close()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            XCTAssertEqual(process.terminationReason, count == nil ? .uncaughtSignal : .exit)
            let text = String(decoding: data, as: UTF8.self)
            return text.components(separatedBy: "\n").filter { $0 == acknowledgement }.count
        }
    #endif

    /// Does nothing, except in the process that writes.
    func testWriter() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let path = environment[Self.pathVariable], let count = environment[Self.countVariable] else {
            return
        }
        var configuration = Configuration()
        configuration.busyMode = .timeout(ToolProcess.timeout)
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        guard let count = Int(count) else {
            return try dbQueue.write { db in
                // The rows exceed the cache, so that some are written to the file before the commit.
                try db.execute(sql: "PRAGMA cache_size = 1")
                for _ in 0..<100 {
                    try db.execute(sql: "INSERT INTO player (score) VALUES (randomblob(3000))")
                }
                kill(getpid(), SIGKILL)
            }
        }
        for _ in 0..<count {
            try dbQueue.write { db in try db.execute(sql: "INSERT INTO player (name) VALUES ('new')") }
            FileHandle.standardOutput.write(Data("\(Self.acknowledgement)\n".utf8))
        }
    }
}
