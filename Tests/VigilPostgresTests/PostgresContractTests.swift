#if PostgreSQL
    import Foundation
    import VigilStorage
    import VigilTesting
    import XCTest

    @testable import VigilPostgres

    /// The driver satisfies the contract, apart from the checks of what a server does not promise.
    final class PostgresContractTests: PostgresTestCase {
        private var schemas: [String] = []

        override func tearDownWithError() throws {
            let connection = try open()
            for schema in schemas { try connection.execute("DROP SCHEMA \(schema) CASCADE") }
            try connection.close()
            try super.tearDownWithError()
        }

        /// Returns the address of a new schema.
        private func makeLocation(_ admin: PostgresConnection) -> StorageLocation {
            let schema = "\(schemaName)_\(schemas.count)"
            do { try admin.execute("CREATE SCHEMA \(schema)") } catch { XCTFail("\(error)") }
            schemas.append(schema)
            return .server(StorageAddress(address.replacingOccurrences(of: schemaName, with: schema)))
        }

        /// The checks of what a server does not promise: to create databases, to keep them in memory, to let
        /// a transaction continue after a failure, to exclude other writers, to report rows, and the
        /// statements of SQLite. The feed detects commits, and not a token of the connection.
        private let notPromised = [
            "missingDatabaseIsNotCreated", "memoryDatabasesAreSharedByName", "failureLeavesTheTransaction",
            "conflictsCanBeResolved", "writersExcludeEachOther", "busyHandlerIsAsked", "busyHandlerCanWait",
            "waitingStatementIsInterrupted", "writesAreNamed", "conditionsAreCurrent",
            "plansReturnTheSameRows", "plansFindRowsByTheirIDs", "plansNameAllDependencies",
            "imagesShowTheRow", "replacedRowIsCovered", "replacementReportsEveryRow",
            "emptyingReportsEveryRow",
            "failedStatementKeepsTheTransaction", "statementCanBeVetoed", "tokenDetectsForeignCommits",
            "tokenIgnoresOwnCommits", "hintArrives",
            "cancelledWatchIsSilent",
        ]

        func testTheContractIsKept() throws {
            let admin = try open()
            let contract = BackendContract(backend: PostgresBackend()) { _ in self.makeLocation(admin) }
            var lacking: [String] = []
            for check in BackendContract.allChecks {
                do {
                    if try contract.run(check) != .passed { lacking.append(check.name) }
                } catch {
                    XCTFail("\(check): \(error)")
                }
            }
            XCTAssertEqual(lacking, notPromised)
            try admin.close()
        }
    }
#endif
