#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    @testable import LiveBoard

    /// Two web servers with one database on a PostgreSQL server.
    final class TwoServersTests: XCTestCase {
        private let form = "Content-Type: application/x-www-form-urlencoded\r\n"

        func testEachServerShowsTheRunsThatTheOtherOneAdds() async throws {
            guard let server = ProcessInfo.processInfo.environment["VIGIL_POSTGRES"] else {
                throw XCTSkip("VIGIL_POSTGRES is not set: eval \"$(Scripts/postgres start)\"")
            }
            let name = "board_" + UUID().uuidString.lowercased().filter { $0 != "-" }
            let admin = try DatabasePool(server: server)
            try await admin.writeWithoutTransaction { db in try db.execute(sql: "CREATE DATABASE \(name)") }
            let address = "\(server)&dbname=\(name)"
            try await RunningServer.run(at: address) { [form] one in
                try await RunningServer.run(at: address) { two in
                    // The first one has published its table.
                    XCTAssertEqual(two.database.feedState(timeout: 30), .precise)
                    try await one.withClient { first in
                        _ = try await first.value(String.self)
                        try await two.withClient { second in
                            _ = try await second.value(String.self)
                            _ = try await one.post("runner=Ada&kilometers=5", headers: form)
                            let ada = try await second.value(String.self)
                            XCTAssertTrue(ada.contains("<span class=\"name\">Ada</span>"), ada)
                            _ = try await first.value(String.self)
                            _ = try await two.post("runner=Grace&kilometers=7", headers: form)
                            let grace = try await first.value(String.self)
                            XCTAssertTrue(grace.contains("<span class=\"name\">Grace</span>"), grace)
                        }
                    }
                }
            }
            // The server ends the streams of both a moment later.
            let slots = "SELECT count(*) FROM pg_replication_slots WHERE database = '\(name)'"
            while try await admin.read({ db in try Int.fetchOne(db, sql: slots) }) != 0 {}
            try await admin.writeWithoutTransaction { db in
                try db.execute(sql: "DROP DATABASE \(name) WITH (FORCE)")
            }
            try admin.close()
        }
    }
#endif
