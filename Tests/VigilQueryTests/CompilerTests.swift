#if os(Linux)
    import Foundation
    import XCTest

    /// Type-checks requests, and mistakes in them, with the modules of this build.
    final class CompilerTests: XCTestCase {
        private struct Mistake {
            let expression: String
            /// Texts that one error message contains, in this order.
            let message: [String]
            let line: UInt

            init(_ expression: String, _ message: String..., line: UInt = #line) {
                (self.expression, self.message, self.line) = (expression, message, line)
            }
        }

        private static let declarations = """
            import Vigil
            import VigilCombine
            import VigilRx

            struct Player: TableRecord {
                enum Columns {
                    static let name = Column("name")
                    static let score = Column("score")
                }
            }

            struct Member: TableRecord, Identifiable {
                let id: Int64
                typealias Columns = Player.Columns
            }

            """

        /// Compiles a function for each mistake, and compares the errors in it.
        private func assertMessages(_ mistakes: [Mistake]) throws {
            let functions = mistakes.enumerated().map { number, mistake in
                """
                func use\(number)(
                    _ db: Database, _ pool: DatabasePool, _ configuration: Configuration, _ statement: Statement
                ) throws {
                    _ = \(mistake.expression)
                }

                """
            }
            let errors = try typeCheck(Self.declarations + functions.joined())
            let firstLine = Self.declarations.split(separator: "\n", omittingEmptySubsequences: false).count
            for (number, mistake) in mistakes.enumerated() {
                let line = firstLine + 5 * number + 3
                let found = errors.filter { $0.contains("Mistakes.swift:\(line):") }
                XCTAssertTrue(
                    found.contains { error in
                        var rest = error[...]
                        for text in mistake.message {
                            guard let range = rest.range(of: text) else { return false }
                            rest = rest[range.upperBound...]
                        }
                        return true
                    }, "\(mistake.expression): \(found)", line: mistake.line)
            }
        }

        /// Returns the errors in a source file that imports the modules of this build.
        private func typeCheck(_ source: String) throws -> [String] {
            let directory = try TemporaryDirectory()
            let path = directory.file("Mistakes.swift")
            try source.write(toFile: path, atomically: true, encoding: .utf8)
            let output = try outputOfCompiler([path])
            let errors = output.filter { $0.contains(": error: ") }
            XCTAssertFalse(errors.isEmpty, "\(output)")
            withExtendedLifetime(directory) {}
            return errors
        }

        /// Type-checks a file, and returns the lines that the compiler prints.
        private func outputOfCompiler(_ arguments: [String]) throws -> [String] {
            let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
                .deletingLastPathComponent()
            let folders = try FileManager.default.contentsOfDirectory(
                at: products, includingPropertiesForKeys: nil)
            let maps =
                folders.map { $0.appendingPathComponent("module.modulemap") }
                .filter { FileManager.default.fileExists(atPath: $0.path) }
                + [package.appendingPathComponent("Sources/CVigilSQLCipherLibrary/module.modulemap")]
            let modules = products.appendingPathComponent("Modules").path
            let cache = products.appendingPathComponent("ModuleCache").path
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments =
                ["swiftc", "-typecheck", "-swift-version", "6", "-I", modules, "-module-cache-path", cache]
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] } + arguments
            let pipe = Pipe()
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return output.split(separator: "\n").map(String.init)
        }

        private let package = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        /// The limit is ten times what the slowest expression takes. The compiler measures processor time, so
        /// that the load of the machine matters little.
        func testExpressionsOfTypicalRequestsAreTypeCheckedQuickly() throws {
            for file in [
                "Tests/VigilQueryTests/QueryInterface/TypicalRequests.swift",
                "Snippets/ComposingRequests.swift",
            ] {
                let output = try outputOfCompiler([
                    package.appendingPathComponent(file).path,
                    "-Xfrontend", "-warn-long-expression-type-checking=2000",
                ])
                XCTAssertEqual(output.filter { $0.contains("warning: expression took") }, [])
                XCTAssertEqual(output.filter { $0.contains("error: ") }, [])
            }
        }

        func testMessagesNameTheMistake() throws {
            try assertMessages([
                Mistake(
                    #"Player.filter(Player.Columns.name == "Ada" && Player.Columns.scor > 10)"#,
                    "has no member 'scor'"),
                Mistake("Player.select { $0.scor }", "has no member 'scor'"),
                Mistake("Player.filter { $0.scor > 10 }", "has no member 'scor'"),
                Mistake(#"Player.filter { $0.name == "Ada" && $0.scor > 10 }"#, "has no member 'scor'"),
                Mistake("Player.all().group { $0.name }.having { $0.scor > 10 }", "has no member 'scor'"),
                Mistake("Player.order { $0.scor.desc }", "has no member 'scor'"),
                Mistake(#"Player.filter { $0.name == "Ada" && $0.score > Int.self }"#, "Int.Type"),
                Mistake("Member.filter { $0.scor > 10 }", "has no member 'scor'"),
                Mistake(#"Table<Member>("member").filter { $0.scor > 10 }"#, "has no member 'scor'"),
                Mistake("Member.all().filter { $0.scor > 10 }", "has no member 'scor'"),
            ])
        }

        func testMessagesForNamesWithoutACounterpartNameTheReplacement() throws {
            try assertMessages([
                Mistake(
                    "db.lastErrorCode",
                    "'lastErrorCode' is unavailable: catch the DatabaseError that is thrown"),
                Mistake(
                    "db.lastErrorMessage",
                    "'lastErrorMessage' is unavailable: catch the DatabaseError that is thrown"),
                Mistake(
                    "db.sqliteConnection",
                    "'sqliteConnection' is unavailable: use SQLiteBackend.withConnectionHandle"),
                Mistake(
                    "statement.sqliteStatement", "is unavailable: ", "SQLiteBackend.withConnectionHandle"),
                Mistake(
                    "configuration.automaticMemoryManagement", "is unavailable: ",
                    "releaseMemoryEventually()"),
                Mistake("try pool.makeSnapshotPool()", "is unavailable: ", "makeSnapshot()"),
                Mistake(#"try DatabaseQueue(server: "a")"#, "is unavailable: ", "DatabasePool(server:)"),
            ])
        }

        func testMessagesForMissingTraitsNameThem() throws {
            var mistakes: [Mistake] = []
            #if !SQLite
                mistakes.append(Mistake("SQLiteBackend()", "is unavailable: ", "the trait SQLite "))
            #endif
            #if !SQLCipher
                mistakes += [
                    Mistake(
                        #"SQLCipherBackend(key: .passphrase("a"))"#, "is unavailable: ", "the trait SQLCipher"
                    ),
                    Mistake(#"CipherKey.passphrase("a")"#, "is unavailable: ", "the trait SQLCipher"),
                    Mistake(#"try db.usePassphrase("a")"#, "is unavailable: ", "the trait SQLCipher"),
                ]
            #endif
            #if !PostgreSQL
                mistakes += [
                    Mistake(#"try DatabasePool(server: "a")"#, "is unavailable: ", "the trait PostgreSQL"),
                    Mistake("PostgresBackend()", "is unavailable: ", "the trait PostgreSQL"),
                ]
            #endif
            #if !OpenCombine
                mistakes += [
                    Mistake(
                        "ValueObservation.tracking { _ in 1 }.publisher(in: pool)", "is unavailable: ",
                        "the trait OpenCombine"),
                    Mistake("pool.readPublisher { _ in 1 }.sink", "TraitOpenCombineIsMissing"),
                ]
            #endif
            #if !RxSwift
                mistakes += [
                    Mistake(
                        "ValueObservation.tracking { _ in 1 }.rx", "is unavailable: ", "the trait RxSwift"),
                    Mistake("Member.all().rx.observeAll(in: pool)", "TraitRxSwiftIsMissing"),
                ]
            #endif
            if !mistakes.isEmpty { try assertMessages(mistakes) }
        }
    }
#endif
