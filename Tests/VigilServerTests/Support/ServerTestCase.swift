import Foundation
import Vigil
import XCTest

/// A test of the whole library on the server in `VIGIL_POSTGRES`, in a schema of its own.
class ServerTestCase: XCTestCase {
    #if PostgreSQL
        private var server = ""
        private(set) var schemaName = ""

        override func setUpWithError() throws {
            guard let address = ProcessInfo.processInfo.environment["VIGIL_POSTGRES"] else {
                throw XCTSkip("VIGIL_POSTGRES is not set: eval \"$(Scripts/postgres start --standby)\"")
            }
            server = address
            schemaName = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
            try execute("CREATE SCHEMA \(schemaName)")
        }

        override func tearDownWithError() throws {
            guard !schemaName.isEmpty else { return }
            try execute("DROP SCHEMA \(schemaName) CASCADE")
        }

        private func execute(_ sql: String) throws {
            let dbPool = try DatabasePool(server: server)
            try dbPool.write { db in try db.execute(sql: sql) }
            try dbPool.close()
        }

        /// The address of the test's schema.
        var address: String { address(application: nil) }

        /// Returns the address of the test's schema, for connections that name their application.
        func address(application: String?) -> String {
            "\(server)&options=-csearch_path%3D\(schemaName)"
                + (application.map { "&application_name=\($0)" } ?? "")
        }

        /// Returns the address of another database on the server.
        func address(database: String) -> String { "\(server)&dbname=\(database)" }

        /// Opens a pool on the test's schema.
        func makePool(
            application: String? = nil, _ configuration: Configuration = Configuration()
        ) throws -> DatabasePool {
            try DatabasePool(server: address(application: application), configuration: configuration)
        }
    #else
        override func setUpWithError() throws {
            throw XCTSkip("this build does not have the trait PostgreSQL")
        }
    #endif
}
