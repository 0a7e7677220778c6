#if os(Linux)
    import Foundation
    import XCTest

    /// Runs `Scripts/setup` while nothing can be installed.
    final class SetUpScriptTests: XCTestCase {
        /// Runs a copy of the script. Only one dependency is missing in it.
        private static let commands = #"""
            cd "$TMPDIR"
            mkdir Scripts bin
            cp "$1/Scripts/common.bash" Scripts
            sed 's/is_installed "$name"/[[ $name != '"$2"' ]]/' "$1/Scripts/setup" >Scripts/setup
            for program in apt-get sudo swift; do printf '#!/bin/sh\nexit 1\n' >bin/$program; done
            chmod +x bin/*
            PATH="$PWD/bin:$PATH" bash Scripts/setup --postgres
            """#

        private func runScript(_ commands: String, _ argument: String = "") throws -> SampleRun {
            try SampleRun(
                executable: URL(fileURLWithPath: "/usr/bin/env"),
                ["bash", "-c", commands, "-", Tree.current.root.path, argument])
        }

        func testOnlyPgBouncerIsOptional() throws {
            for (name, package, status) in [("pgbouncer", "pgbouncer", 0), ("libpq", "libpq-dev", 1)] {
                let run = try runScript(Self.commands, name)
                XCTAssertEqual(run.status, Int32(status), "\(run)")
                XCTAssertTrue(run.errors.hasPrefix("Not found:\n  \(package) ("), "\(run)")
            }
        }

        func testScriptsIgnoreCDPATH() throws {
            let run = try runScript(#"cd "$1"; export CDPATH=.; Scripts/setup --help"#)
            XCTAssertTrue(run.output.hasPrefix("Usage: Scripts/setup"), "\(run)")
        }
    }
#endif
