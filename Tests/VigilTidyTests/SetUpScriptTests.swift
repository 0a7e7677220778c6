#if os(Linux)
    import Foundation
    import XCTest

    /// Runs `Scripts/setup` while nothing can be installed, and `Scripts/postgres` with other programs.
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

        func testTheServerIsTheNewestOneAndNotANewerClient() throws {
            let run = try runScript(
                #"""
                cd "$TMPDIR"
                mkdir -p Scripts versions/9/bin versions/15/bin versions/17/bin
                cp "$1/Scripts/common.bash" Scripts
                sed "s|/usr/lib/postgresql|$PWD/versions|" "$1/Scripts/postgres" >Scripts/postgres
                for file in 9/bin/initdb 15/bin/initdb 17/bin/psql; do
                    printf '#!/bin/sh\n' >versions/$file
                    chmod +x versions/$file
                done
                PATH=/usr/bin:/bin VIGIL_POSTGRES_FOLDER=$PWD/server bash -x Scripts/postgres stop
                """#)
            XCTAssertEqual(run.status, 0, "\(run)")
            XCTAssertTrue(run.errors.contains("/versions/15/bin\n"), "\(run)")
        }

        func testScriptsIgnoreCDPATH() throws {
            let run = try runScript(#"cd "$1"; export CDPATH=.; Scripts/setup --help"#)
            XCTAssertTrue(run.output.hasPrefix("Usage: Scripts/setup"), "\(run)")
        }
    }
#endif
