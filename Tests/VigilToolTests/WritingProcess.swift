import Foundation
import Vigil
import XCTest

/// A process that commits rows to `player` until it is killed, or until it has committed as many as it should.
///
/// The process is this test's own executable, which is told by its environment to run one test that writes.
final class WritingProcess: XCTestCase {
    private static let pathVariable = "VIGIL_WRITER_PATH"
    private static let countVariable = "VIGIL_WRITER_COUNT"
    private static let acknowledgement = "committed"

    #if os(Linux)
        /// Runs a writer to its end, or kills it in the middle of a transaction.
        ///
        /// - Parameters:
        ///   - count: the number of commits; `nil` to kill the process in a transaction.
        /// - Returns: the number of commits that were acknowledged.
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
        configuration.busyMode = .timeout(ToolProcess.patience)
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        guard let count = Int(count) else {
            return try dbQueue.write { db in
                // More than the cache holds: rows are in the file before the transaction is committed.
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
