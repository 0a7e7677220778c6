#if os(Linux)
    import Foundation
    import XCTest

    /// The function that all modules call to trap, as release builds compile it.
    final class TrapTests: XCTestCase {
        func testTrapsPrintTheirMessageInReleaseBuilds() throws {
            let files = FileManager.default
            let folder = files.temporaryDirectory.appendingPathComponent("trap-\(UUID())")
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? files.removeItem(at: folder) }
            let (main, program) = (
                folder.appendingPathComponent("main.swift"), folder.appendingPathComponent("a")
            )
            try Data(
                """
                let count = CommandLine.arguments.count
                trap(unless: count == 1, "index \\(count) is out of range")
                trap("unreachable")
                """.utf8
            ).write(to: main)
            let source = Tree.current.root.appendingPathComponent("Sources/VigilStorage/Trap.swift")
            let compiler = try SampleRun(
                executable: URL(fileURLWithPath: "/usr/bin/env"),
                ["swiftc", "-O", "-package-name", "vigil", source.path, main.path, "-o", program.path])
            XCTAssertEqual(compiler.status, 0, compiler.errors)
            for (arguments, message) in [
                (["x"], "main.swift:2: Fatal error: index 2 is out of range"),
                ([], "main.swift:3: Fatal error: unreachable"),
            ] {
                let run = try SampleRun(executable: program, arguments)
                XCTAssertTrue(run.errors.contains(message), run.errors)
                XCTAssertNotEqual(run.status, 0)
            }
        }
    }
#endif
