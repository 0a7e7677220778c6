#if os(Linux)
    import Foundation
    import XCTest

    /// Runs `Scripts/test` with tests that crash, hang, end the process, fail or are skipped.
    final class TestScriptTests: XCTestCase {
        /// A program that prints what XCTest prints.
        private static let bundle = #"""
            #!/usr/bin/env bash
            tests="A/testPasses A/testTraps A/testFails B/testHangs B/testIsSkipped C/testExits C/testPasses"
            if [[ $1 == --list-tests ]]; then
                echo "Listing 7 tests in bundle:"
                printf 'FakeTests.%s\n' $tests
                exit
            fi
            status=0
            for test in $tests; do
                if [[ ",$1," != *",FakeTests.$test,"* && ",$1," != *",FakeTests.${test%/*},"* ]]; then continue; fi
                name=${test/\//.} result=passed
                echo "Test Case '$name' started at 2026-01-01 00:00:00.000"
                case $test in
                    *Traps) echo "a.swift:1: Fatal error: trap"; kill -TRAP $$ ;;
                    *Hangs) while true; do sleep 1; done ;;
                    *Fails) echo "/a/b.swift:1: error: $name : XCTAssertTrue failed"; result=failed status=1 ;;
                    *Exits) exit 0 ;;
                    *Skipped) echo "/a/b.swift:1: $name : Test skipped - too old"; result=skipped ;;
                esac
                echo "Test Case '$name' $result (0.25 seconds)"
            done
            exit $status
            """#

        private static let commands = """
            source "$1/Scripts/test"
            bundles=("$2/bundle")
            silence=3
            plan_tests "$2/tests" ""
            run_groups "$2/tests"
            report 8 "$2"/tests/*.log || echo "status $?"
            """

        func testEveryTestHasAResultAndEveryFailureHasAName() throws {
            let files = FileManager.default
            let folder = files.temporaryDirectory.appendingPathComponent("vigil-script-\(UUID())")
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? files.removeItem(at: folder) }
            let bundle = folder.appendingPathComponent("bundle")
            try Self.bundle.write(to: bundle, atomically: true, encoding: .utf8)
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bundle.path)
            let run = try SampleRun(
                executable: URL(fileURLWithPath: "/usr/bin/env"),
                ["bash", "-c", Self.commands, "-", Tree.current.root.path, folder.path])
            for line in [
                "error: A.testTraps: the test process ended: Fatal error: trap, status 133, TRAP",
                "error: B.testHangs: the test process ended: no output for 3 seconds, status 134, ABRT",
                "error: C.testExits: the test process ended: status 0",
                "    0.5 s    3 tests  A", "Failed: A.testTraps", "Failed: A.testFails",
                "Failed: B.testHangs",
                "Failed: C.testExits", "Skipped 1: too old",
                "2 passed, 4 failed, 1 skipped, 1 not run", "status 1",
            ] {
                XCTAssertTrue(run.output.split(separator: "\n").contains(line[...]), "\(line) in \(run)")
            }
        }
    }
#endif
