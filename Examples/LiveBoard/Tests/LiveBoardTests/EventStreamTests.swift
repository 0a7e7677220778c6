import Vigil
import XCTest

@testable import LiveBoard

final class EventStreamTests: XCTestCase {
    func testTheFirstEventIsTheWholeState() async throws {
        try await RunningServer.run { server in
            try server.insertFromElsewhere("Ada", meters: 5000)
            // A browser sends the header when it connects again.
            for header in ["", "Last-Event-ID: 7\r\n"] {
                try await server.withClient(headers: header) { client in
                    let head = try await client.read(through: "\r\n\r\n")
                    XCTAssertTrue(head.hasPrefix("HTTP/1.1 200 OK\r\n"), head)
                    XCTAssertTrue(head.lowercased().contains("content-type: text/event-stream\r\n"), head)
                    let start = try await client.read(through: "event: ")
                    XCTAssertTrue(start.contains("retry: 2000\n\n"), start)
                    let board = try await client.read(through: "\n\n")
                    XCTAssertTrue(board.hasPrefix("board\ndata: "), board)
                    XCTAssertTrue(board.contains("<span class=\"name\">Ada</span>"), board)
                    XCTAssertTrue(board.contains("<span id=\"total\">5.0</span>"), board)
                }
            }
        }
    }

    func testTwoBrowsersShareOneObservationOfChangesMadeElsewhere() async throws {
        try await RunningServer.run { server in
            try await server.withClient { one in
                _ = try await one.read(through: "No runs yet.")
                try await server.withClient { two in
                    _ = try await two.read(through: "No runs yet.")
                    _ = try await one.read(
                        through: "<b id=\"browsers\">2</b> browsers share <b id=\"observations\">1<")
                    XCTAssertEqual(server.database.observations.map(\.label), ["board"])
                    let fetches = server.broadcast.status.fetches
                    try server.insertFromElsewhere("<b>&\"", meters: 8000)
                    for text in [
                        try await one.read(through: "</section>\n\n"),
                        try await two.read(through: "&lt;b&gt;&amp;&quot;</span>"),
                    ] {
                        XCTAssertFalse(text.contains("<b>&"), text)
                    }
                    XCTAssertEqual(server.broadcast.status.fetches, fetches + 1)
                }
                // The second browser has disconnected.
                _ = try await one.read(
                    through: "<b id=\"browsers\">1</b> browser uses <b id=\"observations\">1<")
            }
        }
    }

    func testTheObservationEndsWithTheLastBrowserAndStartsAgain() async throws {
        try await RunningServer.run { server in
            var events = server.events.makeAsyncIterator()
            for _ in 1...2 {
                try await server.withClient { one in
                    _ = try await one.read(through: "No runs yet.")
                    try await server.withClient { two in
                        _ = try await two.read(through: "No runs yet.")
                    }
                    _ = try await one.read(through: "<b id=\"browsers\">1</b>")
                }
                let started = await events.next()
                XCTAssertEqual(started, .observationStarted)
                let ended = await events.next()
                XCTAssertEqual(ended, .observationEnded)
                XCTAssertEqual(server.database.observations.count, 0)
            }
        }
    }

    func testNoFetchOccursWithoutBrowsers() async throws {
        try await RunningServer.run { server in
            try server.insertFromElsewhere("Ada", meters: 5000)
            XCTAssertEqual(
                server.broadcast.status, .init(browsers: 0, observations: 0, fetches: 0, updates: 0))
        }
    }

    func testIdleBrowsersReceiveComments() async throws {
        try await RunningServer.run { server in
            try await server.withClient { client in
                _ = try await client.read(through: "<b id=\"updates\">1</b>")
                server.broadcast.keepAlive()
                _ = try await client.read(through: ": keep-alive\n\n")
            }
        }
    }

    func testShutdownEndsTheEventStreams() async throws {
        try await RunningServer.run { server in
            try await server.withClient { client in
                _ = try await client.read(through: "No runs yet.")
                await server.group.triggerGracefulShutdown()
                let rest = try await client.readToEnd()
                XCTAssertTrue(rest.hasSuffix("\r\n0\r\n\r\n"), rest)
            }
        }
    }

    func testAnErrorEndsTheStreamAndTheNextBrowserObservesAgain() async throws {
        try await RunningServer.run { server in
            var events = server.events.makeAsyncIterator()
            try await server.withClient { client in
                _ = try await client.read(through: "No runs yet.")
                try await server.database.write { db in
                    try db.execute(sql: "ALTER TABLE run RENAME TO hidden")
                }
                _ = try await client.read(
                    through: "event: failure\ndata: The server cannot read the database.\n\n")
                _ = try await client.readToEnd()
            }
            let started = await events.next()
            XCTAssertEqual(started, .observationStarted)
            guard case .observationFailed(let error)? = await events.next() else {
                return XCTFail("The observation has not failed")
            }
            XCTAssertTrue(error.contains("no such table: run"), error)
            try await server.database.write { db in try db.execute(sql: "ALTER TABLE hidden RENAME TO run") }
            try await server.withClient { client in
                _ = try await client.read(through: "No runs yet.")
            }
        }
    }
}
