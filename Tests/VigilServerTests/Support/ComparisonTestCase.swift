#if PostgreSQL
    import Vigil
    import XCTest

    /// A test of programs that must have the same results with SQLite and on the server.
    class ComparisonTestCase: ServerTestCase {
        private var databases: [(name: String, writer: any DatabaseWriter)] = []

        /// Creates the tables of the test.
        func createTables(_ db: Database) throws {}

        override func setUpWithError() throws {
            try super.setUpWithError()
            databases = [("SQLite", try DatabaseQueue()), ("PostgreSQL", try makePool())]
            for database in databases { try database.writer.write { db in try createTables(db) } }
        }

        override func tearDownWithError() throws {
            for database in databases { try database.writer.close() }
            databases = []
            try super.tearDownWithError()
        }

        /// Runs a program that reads, and checks that its results are equal and not empty.
        func assertSameReads(
            file: StaticString = #filePath, line: UInt = #line,
            _ program: @escaping @Sendable (Database) throws -> [String]
        ) {
            assertSame(file: file, line: line) { database in try database.read { try program($0) } }
        }

        /// Runs a program that writes, checks that its results are equal and not empty, and rolls it back.
        func assertSameWrites(
            file: StaticString = #filePath, line: UInt = #line,
            _ program: @escaping @Sendable (Database) throws -> [String]
        ) {
            assertSame(file: file, line: line) { database in
                var results: [String] = []
                try database.writeWithoutTransaction { db in
                    try db.inTransaction {
                        results = try program(db)
                        return .rollback
                    }
                }
                return results
            }
        }

        private func assertSame(
            file: StaticString, line: UInt, _ run: (any DatabaseWriter) throws -> [String]
        ) {
            let results = databases.map { database in
                do {
                    return try run(database.writer)
                } catch {
                    XCTFail("\(database.name): \(error)", file: file, line: line)
                    return []
                }
            }
            XCTAssertFalse(results[0].isEmpty, "no results", file: file, line: line)
            XCTAssertEqual(results[0].count, results[1].count, file: file, line: line)
            for (sqlite, server) in zip(results[0], results[1]) {
                XCTAssertEqual(sqlite, server, file: file, line: line)
            }
        }
    }
#endif
