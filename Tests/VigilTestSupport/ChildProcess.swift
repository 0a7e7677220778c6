#if os(Linux)
    package import Foundation
    import XCTest

    extension Process {
        /// Returns a process that will run one test of this executable, without input and output.
        ///
        /// - Parameters:
        ///   - test: the test, such as `VigilEngineTests.CrashTests/testWriterThatIsKilled`.
        ///   - environment: the variables that make the test do more than nothing.
        package static func running(_ test: String, environment: [String: String]) -> Process {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = [test]
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            return process
        }

        /// Starts the process, and kills it when it has written a message a number of times to its standard
        /// output.
        ///
        /// - Returns: everything that the process wrote.
        @discardableResult
        package func runAndKill(
            after count: Int, messages message: String, file: StaticString = #filePath, line: UInt = #line
        ) throws -> String {
            let output = Pipe()
            standardOutput = output
            try run()
            var data = Data()
            var wasKilled = false
            while true {
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { break }
                data += more
                let found = String(decoding: data, as: UTF8.self).components(separatedBy: message).count - 1
                if found >= count, !wasKilled {
                    kill(processIdentifier, SIGKILL)
                    wasKilled = true
                }
            }
            waitUntilExit()
            let text = String(decoding: data, as: UTF8.self)
            XCTAssertEqual(terminationReason, .uncaughtSignal, text, file: file, line: line)
            return text
        }
    }
#endif
