import Foundation
import Vigil
import XCTest

/// Processes that open the same pools at the same times.
///
/// Each process runs the test executable itself, with an environment that makes ``testOpening()`` open pools.
final class OpeningProcess: XCTestCase {
    private static let pathsVariable = "VIGIL_OPENING_PATHS"
    private static let backendVariable = "VIGIL_OPENING_BACKEND"
    private static let numberVariable = "VIGIL_OPENING_NUMBER"
    private static let ready = "ready\n"

    #if os(Linux)
        /// Starts processes, makes all of them open each pool at the same time, and waits until they end.
        ///
        /// - Returns: the errors that each process has printed; empty if it succeeded.
        static func run(_ count: Int, opening paths: [String], with backend: String) throws -> [String] {
            let running = try (0..<count).map { number in
                let process = Process.running(
                    "VigilEngineTests.OpeningProcess/testOpening",
                    environment: [
                        pathsVariable: paths.joined(separator: ":"), backendVariable: backend,
                        numberVariable: "\(number)",
                    ])
                let (gate, output) = (Pipe(), Pipe())
                process.standardError = output
                process.standardInput = gate.fileHandleForReading
                try process.run()
                try output.fileHandleForWriting.close()
                return (process, gate.fileHandleForWriting, output.fileHandleForReading)
            }
            for path in paths {
                for (_, _, output) in running {
                    XCTAssertEqual(try output.read(upToCount: ready.utf8.count), Data(ready.utf8), path)
                }
                for (_, gate, _) in running { try gate.write(contentsOf: Data([0])) }
            }
            return try running.map { process, _, output in
                let text = try output.readToEnd() ?? Data()
                process.waitUntilExit()
                XCTAssertEqual(process.terminationStatus, 0)
                return String(decoding: text, as: UTF8.self)
            }
        }
    #endif

    /// Does nothing, except in a process that opens pools.
    func testOpening() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let paths = environment[Self.pathsVariable], let number = environment[Self.numberVariable]
        else {
            return
        }
        var configuration = Configuration()
        configuration.backend = testedBackends.first { $0.name == environment[Self.backendVariable] }?.backend
        configuration.busyMode = .timeout(30)
        var errors = ""
        for path in paths.components(separatedBy: ":") {
            FileHandle.standardError.write(Data(Self.ready.utf8))
            _ = try FileHandle.standardInput.read(upToCount: 1)
            do {
                let dbPool = try DatabasePool(path: path, configuration: configuration)
                try dbPool.write { db in try db.execute(sql: "CREATE TABLE t\(number)(a)") }
            } catch {
                errors += "\(error)\n"
            }
        }
        FileHandle.standardError.write(Data(errors.utf8))
    }
}
