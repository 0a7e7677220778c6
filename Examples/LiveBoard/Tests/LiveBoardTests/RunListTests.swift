import Foundation
import Vigil
import XCTest

@testable import LiveBoard

final class RunListTests: XCTestCase {
    func testPatchesLeadToTheListInTheDatabase() async throws {
        try await RunningServer.run { server in
            try await server.database.write { db in
                for number in 1...20 {
                    let runner = "runner \(number)"
                    try db.execute(literal: "INSERT INTO run (runner, meters) VALUES (\(runner), 1000)")
                }
            }
            try await server.withClient(path: "/list/events") { client in
                var shown = try await wholeList(&client)
                XCTAssertEqual(shown.items, try items(in: server.database))
                for sql in [
                    "INSERT INTO run (runner, meters) VALUES ('<Ada>', 5000)",
                    "UPDATE run SET meters = meters + 100 WHERE id = 7",
                    "DELETE FROM run WHERE id IN (3, 12, 13)",
                    "UPDATE run SET id = 100 WHERE id = 5",
                    """
                    INSERT INTO run (id, runner, meters) VALUES (12, 'Grace', 7000);
                    UPDATE run SET runner = 'Hedy' WHERE id IN (1, 100);
                    DELETE FROM run WHERE id = 2;
                    """,
                ] {
                    try await server.database.write { db in try db.execute(sql: sql) }
                    shown.apply(try await patch(&client))
                    XCTAssertEqual(shown.items, try items(in: server.database), sql)
                }
                let status = try XCTUnwrap(server.database.observations.first { $0.label == "list" }?.list)
                XCTAssertNil(status.unfollowedReason)
                XCTAssertEqual(status.rowFetchCount, 5)
                // A browser that connects now receives the whole list.
                try await server.withClient(path: "/list/events") { other in
                    let items = try await wholeList(&other).items
                    XCTAssertEqual(items, shown.items)
                }
            }
        }
    }

    func testAPatchIsSmallHoweverLongTheListIs() async throws {
        try await RunningServer.run { server in
            try await server.database.write { db in
                try db.execute(
                    sql: """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                        INSERT INTO run (runner, meters) SELECT 'Ada', 1000 FROM n
                        """)
            }
            try await server.withClient(path: "/list/events") { client in
                let whole = try await data(of: "list", &client)
                XCTAssertGreaterThan(whole.utf8.count, 500_000)
                try await server.database.write { db in
                    try db.execute(sql: "UPDATE run SET meters = 2000 WHERE id = 2")
                }
                let patch = try await data(of: "patch", &client)
                XCTAssertLessThan(patch.utf8.count, 1_000)
                XCTAssertTrue(patch.contains("\"at\":4998"), patch)
            }
        }
    }

    func testAFailureEndsTheStream() async throws {
        try await RunningServer.run { server in
            try await server.withClient(path: "/list/events") { client in
                _ = try await wholeList(&client)
                try await server.database.write { db in
                    try db.execute(sql: "ALTER TABLE run RENAME TO hidden")
                }
                _ = try await client.read(through: "event: failure\n")
                _ = try await client.readToEnd()
            }
        }
    }

    func testThePageLoadsItsScript() async throws {
        try await RunningServer.run { server in
            let page = try await server.get("/list")
            XCTAssertTrue(page.body.contains("<script src=\"/list.js\" defer></script>"), page.body)
            let script = try await server.get("/list.js")
            XCTAssertEqual(script.header("content-type"), "text/javascript; charset=utf-8")
        }
    }
}

private struct Patch: Decodable {
    struct Move: Decodable {
        let from: Int
        let to: Int
    }
    struct Item: Decodable {
        let at: Int
        let row: String
    }
    let removed: [Int]
    let moved: [Move]
    let inserted: [Item]
    let updated: [Item]
}

/// A browser's list of items.
private struct Shown {
    var items: [String]

    mutating func apply(_ patch: Patch) {
        let moved = patch.moved.map { (at: $0.to, row: items[$0.from]) }
        let leaving = Set(patch.removed + patch.moved.map(\.from))
        items = items.indices.filter { !leaving.contains($0) }.map { items[$0] }
        let entering = patch.inserted.map { (at: $0.at, row: $0.row) } + moved
        for item in entering.sorted(by: { $0.at < $1.at }) { items.insert(item.row, at: item.at) }
        for item in patch.updated { items[item.at] = item.row }
    }
}

private func items(in database: DatabasePool) throws -> [String] {
    try database.read { db in
        try Run.order(Column("id").desc).fetchAll(db).map { Page.item($0).text }
    }
}

/// Reads the data of the next event with a name.
private func data(of name: String, _ client: inout ResponseReader) async throws -> String {
    _ = try await client.read(through: "event: \(name)\ndata: ")
    return String(try await client.read(through: "\n\n").dropLast(2))
}

private func patch(_ client: inout ResponseReader) async throws -> Patch {
    try JSONDecoder().decode(Patch.self, from: Data(try await data(of: "patch", &client).utf8))
}

private func wholeList(_ client: inout ResponseReader) async throws -> Shown {
    Shown(
        items: try JSONDecoder().decode([String].self, from: Data(try await data(of: "list", &client).utf8)))
}
