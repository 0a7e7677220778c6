import Foundation
import VigilTestSupport
import XCTest

/// Runs one test of this executable in a separate process, where it is expected to trap.
///
/// - Parameters:
///   - test: the test, such as `VigilEngineTests.SchedulerTests/testThatTrapsOffTheMainQueue`. Without the
///     environment variable, that test does nothing.
///   - variable: the environment variable that makes the test trap, and its value.
/// - Returns: the standard error of the process.
func standardErrorOfTrap(
    in test: String, variable: (name: String, value: String), file: StaticString = #filePath,
    line: UInt = #line
) throws -> String {
    #if os(Linux)
        let process = Process.running(
            test, environment: [variable.name: variable.value, "SWIFT_BACKTRACE": "enable=no"])
        let output = Pipe()
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        XCTAssertEqual(process.terminationReason, .uncaughtSignal, text, file: file, line: line)
        return text
    #else
        throw XCTSkip.needsSeparateExecutable
    #endif
}
